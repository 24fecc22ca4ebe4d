//! A zone, loaded and ready to be played: its map and its pictures.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use shared::gameplay::MapRef;
use shared::ids::ZoneId;
use shared::world::map::{MapError, ZoneMap};
use wasm_bindgen_futures::JsFuture;

use super::canvas::art::{Art, MissingPicture, Picture};
use super::{http, timer};
use crate::connection::http::HttpOutcome;

/// Times that a map is asked for.
const MAP_TRIES: u32 = 3;
/// Faces of the text that is drawn on the canvas; a canvas does not load them by itself.
const CANVAS_FONTS: [&str; 2] = ["700 13px \"Nunito Sans\"", "600 14px \"Nunito Sans\""];

/// How long a face is waited for; the text does without it after that.
const FONT_TIMEOUT: Duration = Duration::from_secs(3);

/// Why a zone cannot be shown; the text says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SceneError {
    /// The map did not arrive.
    #[error("the map of {0} does not arrive: try again in a moment")]
    NoMap(ZoneId),
    /// The map arrived, but this build cannot read it.
    #[error("{0}: reload the page")]
    Map(#[from] MapError),
    /// A picture is missing.
    #[error(transparent)]
    Picture(#[from] MissingPicture),
}

impl SceneError {
    /// Whether only a page that is loaded anew can do better.
    #[must_use]
    pub fn wants_reload(&self) -> bool {
        matches!(self, Self::Map(_))
    }
}

/// A zone that is ready.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its map.
    pub map: Rc<ZoneMap>,
    /// The picture of its tiles.
    pub tileset: Picture,
    /// The pictures of what stands on them.
    pub art: Rc<Art>,
}

/// Loads scenes and keeps what the next one needs again.
#[derive(Clone, Debug, Default)]
pub struct SceneLoader(Rc<RefCell<Cache>>);

#[derive(Debug, Default)]
struct Cache {
    art: Option<Rc<Art>>,
    /// The last map, by the SHA-256 of its bytes.
    map: Option<(String, Rc<ZoneMap>)>,
    /// The last tileset, by its file.
    tileset: Option<(String, Picture)>,
}

impl SceneLoader {
    /// Loads the scene of a map from the login role at `origin`.
    ///
    /// # Errors
    /// What is missing or unreadable.
    pub async fn load(&self, origin: &str, map: &MapRef) -> Result<Scene, SceneError> {
        let map = self.map(origin, map).await?;
        let file = map.parts().tileset.image.clone();
        let tileset = self.tileset(file).await?;
        let art = self.art().await?;
        load_fonts().await;
        Ok(Scene { map, tileset, art })
    }

    async fn map(&self, origin: &str, wanted: &MapRef) -> Result<Rc<ZoneMap>, SceneError> {
        let known = self.0.borrow().map.clone();
        if let Some((sha256, map)) = known
            && sha256 == wanted.sha256
        {
            return Ok(map);
        }
        let url = format!("{origin}{}", wanted.path());
        for _ in 0..MAP_TRIES {
            if let HttpOutcome::Answered { status: 200, body, .. } = http::fetch_bytes(&url).await {
                let map = Rc::new(ZoneMap::from_bytes(&body)?);
                self.0.borrow_mut().map = Some((wanted.sha256.clone(), Rc::clone(&map)));
                return Ok(map);
            }
        }
        Err(SceneError::NoMap(wanted.zone.clone()))
    }

    async fn tileset(&self, file: String) -> Result<Picture, SceneError> {
        let known = self.0.borrow().tileset.clone();
        if let Some((name, picture)) = known
            && name == file
        {
            return Ok(picture);
        }
        let picture = Picture::load(&file).await?;
        self.0.borrow_mut().tileset = Some((file, picture.clone()));
        Ok(picture)
    }

    async fn art(&self) -> Result<Rc<Art>, SceneError> {
        let known = self.0.borrow().art.clone();
        if let Some(art) = known {
            return Ok(art);
        }
        let art = Rc::new(Art::load().await?);
        self.0.borrow_mut().art = Some(Rc::clone(&art));
        Ok(art)
    }
}

/// A face that does not arrive in time is replaced by the browser's own.
async fn load_fonts() {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    for font in CANVAS_FONTS {
        let _ = timer::within(FONT_TIMEOUT, JsFuture::from(document.fonts().load(font))).await;
    }
}
