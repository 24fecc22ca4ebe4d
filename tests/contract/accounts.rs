//! Promises of the account store.

use edge_server::stores::AccountCreation;

use super::family::{Family, race};
use super::samples::{NOW, account, account_id};

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
    of_many_who_register_one_username_at_once_one_gets_it,
);
