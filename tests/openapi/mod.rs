//! The OpenAPI document: it is sound, it describes what is served and nothing else, and
//! what the server really answers is what it says.

mod answers;
mod document;
mod served;

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::Value;
use tests::api::Api;

/// By which whoever runs a server is known to it.
pub(crate) const ADMIN_TOKEN: &str = "the-admin-token-of-a-server-under-test";

/// The document as a server serves it.
struct Document(Value);

/// An operation of the document.
struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    says: &'a Value,
}

impl Operation<'_> {
    /// Method and path, as the contract writes them.
    fn name(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }

    fn tags(&self) -> Vec<&str> {
        texts(&self.says["tags"])
    }
}

impl Document {
    /// Fetches the document from an origin.
    async fn served_at(api: &Api, origin: &str) -> Self {
        let answer = api.send(Method::GET, &format!("{origin}/openapi.json"), |r| r).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        Self(serde_json::from_slice(&answer.body).expect("the document is JSON"))
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        let mut operations = Vec::new();
        for (path, methods) in object(&self.0["paths"]) {
            for (method, says) in object(methods) {
                operations.push(Operation { method, path, says });
            }
        }
        operations
    }

    /// The operations by method and path.
    fn by_name(&self) -> BTreeMap<String, Operation<'_>> {
        self.operations().into_iter().map(|operation| (operation.name(), operation)).collect()
    }
}

#[track_caller]
fn object(value: &Value) -> &serde_json::Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}"))
}

#[track_caller]
fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

#[track_caller]
fn texts(value: &Value) -> Vec<&str> {
    array(value).iter().map(|text| text.as_str().expect("a text")).collect()
}
