//! Promises of the login store.

use edge_server::stores::LoginCreation;

use super::family::Family;
use super::samples::{NOW, PHC, account, account_id, given_account, just_before, later, token};

async fn a_login_names_its_account_until_the_moment_it_expires(family: impl Family) {
    let stores = family.stores();
    let id = given_account(stores, 1).await;
    given_account(stores, 2).await;
    stores.logins.create_login(&token(1), id, PHC, later(60)).await.unwrap();
    for (now, alive) in [(NOW, true), (just_before(later(60)), true), (later(60), false)] {
        let found = stores.logins.account_of_login(&token(1), now).await.unwrap();
        assert_eq!(found, alive.then(|| account(1, "player1")), "at {now:?}");
    }
    assert_eq!(stores.logins.account_of_login(&token(2), NOW).await.unwrap(), None);
}

async fn a_login_is_created_for_the_password_that_the_account_has_and_no_other(
    family: impl Family,
) {
    let stores = family.stores();
    let id = given_account(stores, 1).await;
    for (number, account, verified) in
        [(1, id, "$argon2id$old"), (2, id, ""), (3, account_id(2), PHC)]
    {
        let login = token(number);
        let creation = stores.logins.create_login(&login, account, verified, later(60)).await;
        assert_eq!(creation.unwrap(), LoginCreation::NotVerified, "{verified:?}");
        assert_eq!(stores.logins.account_of_login(&login, NOW).await.unwrap(), None);
    }
    let creation = stores.logins.create_login(&token(4), id, PHC, later(60)).await.unwrap();
    assert_eq!(creation, LoginCreation::Created);
    assert!(stores.logins.account_of_login(&token(4), NOW).await.unwrap().is_some());
}

async fn a_deleted_login_names_nobody_and_leaves_the_others(family: impl Family) {
    let stores = family.stores();
    let id = given_account(stores, 1).await;
    for number in [1, 2] {
        stores.logins.create_login(&token(number), id, PHC, later(60)).await.unwrap();
    }
    for _again in 0..2 {
        stores.logins.delete_login(&token(1)).await.unwrap();
    }
    assert_eq!(stores.logins.account_of_login(&token(1), NOW).await.unwrap(), None);
    assert!(stores.logins.account_of_login(&token(2), NOW).await.unwrap().is_some());
}

async fn pruning_removes_the_logins_that_have_expired_and_no_other(family: impl Family) {
    let stores = family.stores();
    let id = given_account(stores, 1).await;
    for (number, end) in [(1, 59), (2, 60), (3, 61)] {
        stores.logins.create_login(&token(number), id, PHC, later(end)).await.unwrap();
    }
    assert_eq!(stores.logins.prune_logins(later(60)).await.unwrap(), 2);
    assert_eq!(stores.logins.prune_logins(later(60)).await.unwrap(), 0);
    // Asked as of an earlier moment, only what was really removed is missing.
    for (number, kept) in [(1, false), (2, false), (3, true)] {
        let found = stores.logins.account_of_login(&token(number), NOW).await.unwrap();
        assert_eq!(found.is_some(), kept, "login {number}");
    }
}

over_every_family!(
    a_login_names_its_account_until_the_moment_it_expires,
    a_login_is_created_for_the_password_that_the_account_has_and_no_other,
    a_deleted_login_names_nobody_and_leaves_the_others,
    pruning_removes_the_logins_that_have_expired_and_no_other,
);
