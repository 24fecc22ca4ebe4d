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

/// Times that a scene is asked for. What has arrived is not asked for again.
const SCENE_TRIES: u32 = 3;
/// How long to wait between two. A page that is being unloaded, whose requests the browser
/// drops, is gone by then.
const SCENE_RETRY_PAUSE: Duration = Duration::from_millis(500);
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
    /// Loads the scene of a map from the login role at `origin`. What does not arrive is
    /// asked for again, a few times.
    ///
    /// # Errors
    /// What is missing or unreadable.
    pub async fn load(&self, origin: &str, map: &MapRef) -> Result<Scene, SceneError> {
        let mut tries = 1;
        loop {
            match self.try_to_load(origin, map).await {
                Err(error) if tries < SCENE_TRIES && !error.wants_reload() => {
                    tries += 1;
                    timer::after(SCENE_RETRY_PAUSE).await;
                }
                done => return done,
            }
        }
    }

    async fn try_to_load(&self, origin: &str, map: &MapRef) -> Result<Scene, SceneError> {
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
        let HttpOutcome::Answered { status: 200, body, .. } = http::fetch_bytes(&url).await else {
            return Err(SceneError::NoMap(wanted.zone.clone()));
        };
        let map = Rc::new(ZoneMap::from_bytes(&body)?);
        self.0.borrow_mut().map = Some((wanted.sha256.clone(), Rc::clone(&map)));
        Ok(map)
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
