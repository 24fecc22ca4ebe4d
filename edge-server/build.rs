//! New migration files are part of the binary: adding one must rebuild it.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
