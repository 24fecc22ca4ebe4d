//! Promises of the account store.

use edge_server::stores::{AccountCreation, LoginCreation, PasswordChange};

use super::family::{Family, race};
use super::samples::{NOW, PHC, account, account_id, given_account, later, token};

async fn an_account_is_found_by_its_username_in_any_case(family: impl Family) {
    let accounts = &family.stores().accounts;
    let mara = account(1, "Mara_7.x");
    assert_eq!(
        accounts.create_account(&mara, "$argon2id$mara", NOW).await.unwrap(),
        AccountCreation::Created
    );
    for spelled in ["Mara_7.x", "mara_7.x", "MARA_7.X"] {
        let found = accounts.account_by_username(spelled).await.unwrap().unwrap();
        assert_eq!(found.account, mara, "{spelled}: the name stays as it was registered");
        assert_eq!(found.password_hash, "$argon2id$mara");
    }
    for other in ["mara", "mara_7_x", "mara%", ""] {
        assert!(accounts.account_by_username(other).await.unwrap().is_none(), "{other:?}");
    }
}

async fn a_username_is_taken_in_any_case(family: impl Family) {
    let accounts = &family.stores().accounts;
    accounts.create_account(&account(1, "Mara"), "$argon2id$first", NOW).await.unwrap();
    for (number, spelled) in [(2, "Mara"), (3, "mara"), (4, "mARA")] {
        assert_eq!(
            accounts.create_account(&account(number, spelled), "$argon2id$x", NOW).await.unwrap(),
            AccountCreation::UsernameTaken,
            "{spelled}"
        );
    }
    let kept = accounts.account_by_username("mara").await.unwrap().unwrap();
    assert_eq!((kept.account.id, kept.password_hash.as_str()), (account_id(1), "$argon2id$first"));
}

async fn a_username_that_looks_like_another_is_told_apart_from_a_taken_one(family: impl Family) {
    let accounts = &family.stores().accounts;
    accounts.create_account(&account(1, "bobby.mara"), PHC, NOW).await.unwrap();
    for (number, spelled, creation) in [
        (2, "b0bby.mara", AccountCreation::UsernameConfusable),
        (3, "bobbymara", AccountCreation::UsernameConfusable),
        (4, "bobby.rnara", AccountCreation::UsernameConfusable),
        (5, "BOBBY.mara", AccountCreation::UsernameTaken),
        (6, "bobby.mora", AccountCreation::Created),
        // Both: taken by number 6, and like number 6.
        (7, "bobby.mora", AccountCreation::UsernameTaken),
    ] {
        let done = accounts.create_account(&account(number, spelled), PHC, NOW).await.unwrap();
        assert_eq!(done, creation, "{spelled}");
    }
    assert!(accounts.account_by_username("b0bby.mara").await.unwrap().is_none());
}

async fn a_new_password_takes_the_place_of_the_verified_one_and_ends_every_login(
    family: impl Family,
) {
    let stores = family.stores();
    let (id, other) = (given_account(stores, 1).await, given_account(stores, 2).await);
    for (number, account) in [(1, id), (2, id), (3, other)] {
        stores.logins.create_login(&token(number), account, PHC, later(60)).await.unwrap();
    }
    let change = stores.accounts.change_password(id, PHC, "$argon2id$new").await.unwrap();
    assert_eq!(change, PasswordChange::Changed);
    let kept = stores.accounts.account_by_username("player1").await.unwrap().unwrap();
    assert_eq!(kept.password_hash, "$argon2id$new");
    for (number, alive) in [(1, false), (2, false), (3, true)] {
        let found = stores.logins.account_of_login(&token(number), NOW).await.unwrap();
        assert_eq!(found.is_some(), alive, "login {number}");
    }
    let rival = stores.accounts.account_by_username("player2").await.unwrap().unwrap();
    assert_eq!(rival.password_hash, PHC, "another account keeps its own");
}

async fn a_password_that_was_changed_meanwhile_is_not_changed_and_ends_no_login(
    family: impl Family,
) {
    let stores = family.stores();
    let id = given_account(stores, 1).await;
    stores.logins.create_login(&token(1), id, PHC, later(60)).await.unwrap();
    for (account, verified) in [(id, "$argon2id$old"), (account_id(2), PHC)] {
        let change = stores.accounts.change_password(account, verified, "$argon2id$new").await;
        assert_eq!(change.unwrap(), PasswordChange::NotVerified, "{verified}");
    }
    let kept = stores.accounts.account_by_username("player1").await.unwrap().unwrap();
    assert_eq!(kept.password_hash, PHC);
    assert!(stores.logins.account_of_login(&token(1), NOW).await.unwrap().is_some());
}

async fn no_login_with_the_old_password_outlives_its_change(family: impl Family) {
    let stores = family.stores();
    let id = given_account(stores, 1).await;
    race(40, |number| {
        let stores = family.stores().clone();
        async move {
            if number == 20 {
                let change = stores.accounts.change_password(id, PHC, "$argon2id$new").await;
                assert_eq!(change.unwrap(), PasswordChange::Changed);
            } else {
                let login = token(number as u128);
                stores.logins.create_login(&login, id, PHC, later(60)).await.unwrap();
            }
        }
    })
    .await;
    for number in 0..40 {
        let found = stores.logins.account_of_login(&token(number), NOW).await.unwrap();
        assert_eq!(found, None, "login {number}");
    }
    let late = stores.logins.create_login(&token(50), id, PHC, later(60)).await.unwrap();
    assert_eq!(late, LoginCreation::NotVerified);
}

async fn of_many_changes_of_one_password_at_once_one_stands(family: impl Family) {
    let id = given_account(family.stores(), 1).await;
    let changes = race(20, |number| {
        let accounts = family.stores().accounts.clone();
        async move { accounts.change_password(id, PHC, &format!("{PHC}{number}")).await.unwrap() }
    })
    .await;
    let winners: Vec<_> =
        (0..20).filter(|&number| changes[number] == PasswordChange::Changed).collect();
    assert_eq!(winners.len(), 1, "{changes:?}");
    let kept = family.stores().accounts.account_by_username("player1").await.unwrap().unwrap();
    assert_eq!(kept.password_hash, format!("{PHC}{}", winners[0]));
}

async fn of_many_who_register_one_username_at_once_one_gets_it(family: impl Family) {
    let creations = race(30, |number| {
        let accounts = family.stores().accounts.clone();
        let spelled = if number % 2 == 0 { "mara" } else { "MARA" };
        let account = account(number as u128, spelled);
        async move { accounts.create_account(&account, "$argon2id$x", NOW).await.unwrap() }
    })
    .await;
    let winners: Vec<_> =
        (0..30).filter(|&number| creations[number] == AccountCreation::Created).collect();
    assert_eq!(winners.len(), 1, "{creations:?}");
    let kept = family.stores().accounts.account_by_username("mara").await.unwrap().unwrap();
    assert_eq!(kept.account.id, account_id(winners[0] as u128));
}

over_every_family!(
    an_account_is_found_by_its_username_in_any_case,
    a_username_is_taken_in_any_case,
    a_username_that_looks_like_another_is_told_apart_from_a_taken_one,
    a_new_password_takes_the_place_of_the_verified_one_and_ends_every_login,
    a_password_that_was_changed_meanwhile_is_not_changed_and_ends_no_login,
    no_login_with_the_old_password_outlives_its_change,
    of_many_changes_of_one_password_at_once_one_stands,
    of_many_who_register_one_username_at_once_one_gets_it,
);
