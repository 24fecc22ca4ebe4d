//! The roster: characters come and go, and another's name is told beside its field.

use tests::backend::Backend;
use tests::browser::{Browser, DESK};
use tests::chromedriver::Chromedriver;
use tests::patience::{SCREEN_SHOWN, eventually};

use super::{ESCAPE, create_character, enter, register};

async fn is_selected(browser: &Browser, name: &str) -> bool {
    let checked = browser.attribute(&format!("character-{name}"), "aria-checked").await;
    checked.as_deref() == Some("true")
}

/// Asks for a character whose name is refused; gives what is told beside the field.
async fn refused(browser: &Browser, name: &str, why: &str) {
    browser.fill("character-name", name).await;
    browser.press("create-character").await;
    let what = format!("it is told beside the field that {why}");
    eventually(&what, SCREEN_SHOWN, async || {
        browser.text("create-problem").await.contains(why).then_some(())
    })
    .await;
    assert_eq!(browser.attribute("character-name", "aria-invalid").await.as_deref(), Some("true"));
    assert_eq!(browser.value("character-name").await, name, "the name can be mended");
    assert!(!browser.shows("characters-problem").await, "it is told in one place");
}

async fn of_two_characters_one_is_deleted_after_a_second_question_and_the_other_plays_on<
    B: Backend,
>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("characters", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    create_character(&browser, "Orin").await;
    assert!(is_selected(&browser, "Orin").await, "the new one is selected");
    let orin = server.character_id("Orin").await.unwrap();

    browser.press("delete-character").await;
    browser.until_focused("cancel-delete").await;
    browser.press("cancel-delete").await;
    browser.until_gone("confirm-delete").await;
    browser.press("delete-character").await;
    browser.see("confirm-delete").await;
    browser.tap_key(ESCAPE).await;
    browser.until_gone("confirm-delete").await;
    assert!(is_selected(&browser, "Orin").await && browser.shows("character-Mara").await);
    assert!(!server.character(orin).await.is_deleted, "who is asked and says no keeps it");

    browser.press("delete-character").await;
    browser.press("confirm-delete").await;
    browser.until_gone("character-Orin").await;
    assert!(server.character(orin).await.is_deleted);
    assert!(is_selected(&browser, "Mara").await, "the other one is selected");
    browser.picture("one-is-left").await;
    browser.reload().await;
    browser.see("character-Mara").await;
    assert!(!browser.shows("character-Orin").await);
    browser.press("character-Mara").await;
    enter(&browser).await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

async fn a_name_that_cannot_be_had_is_told_beside_its_field<B: Backend>() {
    let server = B::start().await;
    server.hero("Orin").await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("names", DESK).await;
    register(&browser, server.origin(), "mara").await;
    refused(&browser, "Orin", "taken").await;
    browser.picture("taken").await;
    refused(&browser, "M4ra", "letters").await;
    create_character(&browser, "Mara").await;
    assert_eq!(browser.text("create-problem").await, "", "what was mended is not told on");
    let errors = browser.close().await;
    // The browser itself notes every answer of 4xx; nothing else may be there.
    let own: Vec<_> = errors.iter().filter(|text| !text.contains(" 4")).collect();
    assert_eq!(own, Vec::<&String>::new());
}

over_both_backends! {
    always: [
        of_two_characters_one_is_deleted_after_a_second_question_and_the_other_plays_on,
    ];
    at_leisure: [
        a_name_that_cannot_be_had_is_told_beside_its_field,
    ];
}
