mod catalogs;
mod files;
fn main() {
    println!("{:?}", files::write(&catalogs::generate()));
}
