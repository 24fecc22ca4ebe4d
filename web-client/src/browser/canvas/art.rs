//! The pictures of the world, decoded before the first frame.

use std::time::Duration;

use shared::ids::Appearance;
use wasm_bindgen_futures::JsFuture;
use web_sys::{CanvasRenderingContext2d, HtmlImageElement};

use super::super::timer;
use super::palette::{INK, faded};
use super::surface::{Rect, Surface, ignore};

/// The drawings of characters, in the order of the picture's bands.
pub const APPEARANCES: [&str; 8] =
    ["wanderer", "sailor", "gardener", "smith", "scholar", "minstrel", "ranger", "hermit"];

/// The band of an appearance; one that is not drawn is shown as the first.
#[must_use]
pub fn appearance_index(appearance: &Appearance) -> usize {
    APPEARANCES.iter().position(|name| *name == appearance.as_str()).unwrap_or(0)
}

/// How long one try to load a picture takes at most.
const PICTURE_TIMEOUT: Duration = Duration::from_secs(8);
/// Times that a picture is asked for.
const PICTURE_TRIES: u32 = 2;

/// Why a picture is missing; the text names it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MissingPicture {
    /// The browser could not load or decode it.
    #[error("the picture {0} cannot be loaded: try again in a moment")]
    Broken(String),
    /// It did not arrive in time.
    #[error("the picture {0} does not arrive: check the connection and try again")]
    Late(String),
}

/// A decoded picture.
#[derive(Clone, Debug)]
pub struct Picture(HtmlImageElement);

impl Picture {
    /// Loads and decodes a picture of the page's assets.
    ///
    /// # Errors
    /// The picture that could not be loaded.
    pub async fn load(file: &str) -> Result<Self, MissingPicture> {
        let mut problem = MissingPicture::Late(file.to_owned());
        for _ in 0..PICTURE_TRIES {
            match timer::within(PICTURE_TIMEOUT, Self::load_once(file)).await {
                Some(Ok(picture)) => return Ok(picture),
                Some(Err(broken)) => problem = broken,
                None => problem = MissingPicture::Late(file.to_owned()),
            }
        }
        Err(problem)
    }

    async fn load_once(file: &str) -> Result<Self, MissingPicture> {
        let broken = |_| MissingPicture::Broken(file.to_owned());
        let image = HtmlImageElement::new().map_err(broken)?;
        image.set_src(&format!("/assets/{file}"));
        JsFuture::from(image.decode()).await.map_err(broken)?;
        Ok(Self(image))
    }

    /// Draws a part of the picture, as large as it is.
    pub fn draw(&self, to: &CanvasRenderingContext2d, from: Rect, x: f64, y: f64) {
        ignore(to.draw_image_with_html_image_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
            &self.0,
            from.x,
            from.y,
            from.width,
            from.height,
            x,
            y,
            from.width,
            from.height,
        ));
    }

    /// The whole picture without its colours, and darker: what has no life.
    #[must_use]
    pub fn greyed(&self) -> Option<Surface> {
        let (width, height) = (self.0.natural_width(), self.0.natural_height());
        let surface = Surface::in_memory(width, height)?;
        let context = &surface.context;
        let whole = Rect { x: 0.0, y: 0.0, width: f64::from(width), height: f64::from(height) };
        self.draw(context, whole, 0.0, 0.0);
        // A blend of saturation paints the clear pixels too: the picture cuts them out again.
        for (mode, color) in
            [("saturation", "#808080".to_owned()), ("source-atop", faded(INK, 0.3))]
        {
            ignore(context.set_global_composite_operation(mode));
            context.set_fill_style_str(&color);
            context.fill_rect(0.0, 0.0, whole.width, whole.height);
            ignore(context.set_global_composite_operation("destination-in"));
            self.draw(context, whole, 0.0, 0.0);
        }
        ignore(context.set_global_composite_operation("source-over"));
        Some(surface)
    }
}

/// The pictures that every zone uses.
#[derive(Clone, Debug)]
pub struct Art {
    /// Characters: 16×24 pixels a frame, see [`super::actors`].
    pub characters: Picture,
    /// The same without life; none where the browser gives no canvas for it.
    pub fallen: Option<Surface>,
    /// Flowers: frames of 16×16 pixels in one row; the last one is a picked flower.
    pub flower: Picture,
    /// Signs of 16×16 pixels in one row, see [`super::bubble`].
    pub signs: Picture,
    /// The bubble that holds a sign.
    pub bubble: Picture,
}

impl Art {
    /// Loads them all.
    ///
    /// # Errors
    /// The first picture that could not be loaded.
    pub async fn load() -> Result<Self, MissingPicture> {
        let characters = Picture::load("characters.png").await?;
        Ok(Self {
            fallen: characters.greyed(),
            characters,
            flower: Picture::load("flower.png").await?,
            signs: Picture::load("signs.png").await?,
            bubble: Picture::load("bubble.png").await?,
        })
    }
}
