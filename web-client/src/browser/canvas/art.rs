//! The pictures of the world, decoded before the first frame.

use shared::ids::Appearance;
use wasm_bindgen_futures::JsFuture;
use web_sys::{CanvasRenderingContext2d, HtmlImageElement};

use super::surface::{Rect, ignore};

/// The drawings of characters, in the order of the picture's bands.
pub const APPEARANCES: [&str; 8] =
    ["wanderer", "sailor", "gardener", "smith", "scholar", "minstrel", "ranger", "hermit"];

/// The band of an appearance; one that is not drawn is shown as the first.
#[must_use]
pub fn appearance_index(appearance: &Appearance) -> usize {
    APPEARANCES.iter().position(|name| *name == appearance.as_str()).unwrap_or(0)
}

/// Why a picture is missing; the text names it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the picture {0} cannot be loaded: try again in a moment")]
pub struct MissingPicture(String);

/// A decoded picture.
#[derive(Clone, Debug)]
pub struct Picture(HtmlImageElement);

impl Picture {
    /// Loads and decodes a picture of the page's assets.
    ///
    /// # Errors
    /// The picture that could not be loaded.
    pub async fn load(file: &str) -> Result<Self, MissingPicture> {
        let missing = |_| MissingPicture(file.to_owned());
        let image = HtmlImageElement::new().map_err(missing)?;
        image.set_src(&format!("/assets/{file}"));
        JsFuture::from(image.decode()).await.map_err(missing)?;
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

    /// Pixels across.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.0.natural_width()
    }
}

/// The pictures that every zone uses.
#[derive(Clone, Debug)]
pub struct Art {
    /// Characters: 16×24 pixels a frame, see [`super::actors`].
    pub characters: Picture,
    /// Flowers: frames of 16×16 pixels in one row.
    pub flower: Picture,
}

impl Art {
    /// Loads them all.
    ///
    /// # Errors
    /// The first picture that could not be loaded.
    pub async fn load() -> Result<Self, MissingPicture> {
        Ok(Self {
            characters: Picture::load("characters.png").await?,
            flower: Picture::load("flower.png").await?,
        })
    }
}
