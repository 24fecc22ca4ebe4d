//! A small map, and every way in which it can be wrong.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::world::tiled_file::MAX_TILED_FILE_BYTES;

const TSX: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="tiles" tilewidth="16" tileheight="16" tilecount="4" columns="2">
 <image source="art/tileset.png" width="32" height="32"/>
 <tile id="3"><animation><frame tileid="3" duration="200"/><frame tileid="0" duration="100"/></animation></tile>
 <tile id="1"><properties><property name="solid" type="bool" value="true"/></properties></tile>
 <tile id="2"><properties><property name="hazard" type="bool" value="true"/></properties>
  <animation><frame tileid="2" duration="50"/></animation></tile>
</tileset>"#;

const TMX: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" width="4" height="3" tilewidth="16" tileheight="16" infinite="0">
 <tileset firstgid="1" source="tileset.tsx"/>
 <layer id="1" name="ground" width="4" height="3"><data encoding="csv">
1,1,1,1,
1,1,1,3,
1,1,1,1
</data></layer>
 <layer id="2" name="roofs" width="4" height="3"><properties><property name="above" type="bool" value="true"/></properties><data encoding="csv">
0,2,0,0,
0,0,0,0,
4,0,0,0
</data></layer>
 <objectgroup id="3" name="spawns">
  <object id="1" name="gate" x="40" y="8"><point/></object>
  <object id="2" name="start" x="8" y="24"><point/></object>
 </objectgroup>
 <objectgroup id="4" name="exits">
  <object id="3" name="out" x="48" y="16" width="16" height="32"><properties><property name="zone" value="meadow"/></properties></object>
 </objectgroup>
 <objectgroup id="5" name="flowers">
  <object id="4" name="rose" x="33" y="47"><point/></object>
 </objectgroup>
 <objectgroup id="6" name="signs"><object id="5" name="hint" x="-5" y="900"><point/></object></objectgroup>
</map>"#;

fn world() -> WorldFile {
    let text = crate::world::world_file::tests::SMALL.replace(
        "[[instance]]",
        "[[zone]]\nid = \"meadow\"\nname = \"Meadow\"\nmap = \"m.tmx\"\ncapacity = 1\n[[instance]]",
    );
    WorldFile::parse(&text).unwrap()
}

/// The map in a folder of its own, with its tileset.
fn written(tmx: &str, tsx: &str) -> (TempDir, PathBuf) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("harbor.tmx");
    std::fs::write(&path, tmx).unwrap();
    std::fs::write(dir.path().join("tileset.tsx"), tsx).unwrap();
    (dir, path)
}

fn bake_texts(tmx: &str, tsx: &str) -> Result<ZoneMap, Vec<MapFault>> {
    let (_dir, path) = written(tmx, tsx);
    bake(&path, &world().zones[0], &world())
}

fn notes_of(tmx: &str) -> Vec<String> {
    let (_dir, path) = written(tmx, TSX);
    notes(&path, &world().zones[0], &world())
}

#[track_caller]
fn faults_of(tmx: &str, tsx: &str, expected: &[&str]) {
    let faults = bake_texts(tmx, tsx).unwrap_err();
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), expected.len(), "{texts:?}");
    for (text, expected) in texts.iter().zip(expected) {
        assert!(text.contains(expected), "{text:?} says nothing of {expected:?}");
    }
}

#[track_caller]
fn check(from: &str, to: &str, expected: &[&str]) {
    assert!(TMX.contains(from), "nothing to replace: {from}");
    faults_of(&TMX.replace(from, to), TSX, expected);
}

#[track_caller]
fn check_tileset(from: &str, to: &str, expected: &[&str]) {
    assert!(TSX.contains(from), "nothing to replace: {from}");
    faults_of(TMX, &TSX.replace(from, to), expected);
}

#[test]
fn a_map_is_baked_as_it_is_drawn() {
    let map = bake_texts(TMX, TSX).unwrap();
    let parts = map.parts();
    assert_eq!((parts.width, parts.height, parts.name.as_str()), (4, 3, "Harbor of First Light"));
    assert_eq!((parts.tileset.image.as_str(), parts.tileset.columns), ("tileset.png", 2));
    let layers: Vec<_> = parts.layers.iter().map(|l| (l.name.as_str(), l.above)).collect();
    assert_eq!(layers, [("ground", false), ("roofs", true)]);
    assert_eq!(parts.layers[1].tiles[1], 2);
    assert!(map.is_solid(1, 0) && !map.is_solid(0, 0));
    assert!(map.is_hazard(Tile { x: 3, y: 1 }) && !map.is_hazard(Tile { x: 3, y: 0 }));
    let spawns: Vec<_> = parts.spawns.iter().map(|s| (s.name.as_str(), s.tile)).collect();
    assert_eq!(spawns, [("start", Tile { x: 0, y: 1 }), ("gate", Tile { x: 2, y: 0 })]);
    let (from_tile, to_tile) = (Tile { x: 3, y: 1 }, Tile { x: 3, y: 2 });
    assert_eq!(parts.exits, [Exit { to: "meadow".parse().unwrap(), from_tile, to_tile }]);
    assert_eq!(parts.flowers, [Tile { x: 2, y: 2 }]);
    let animations = &parts.tileset.animations;
    assert_eq!(animations[0], Animation { tile: 3, frames: vec![(3, 50)] });
    assert_eq!(animations[1], Animation { tile: 4, frames: vec![(4, 200), (1, 100)] });
}

#[test]
fn nobody_appears_on_a_hazard() {
    check("x=\"40\" y=\"8\"", "x=\"56\" y=\"24\"", &["spawn \"gate\" at 3,1 is on a hazard"]);
}

#[test]
fn equal_maps_bake_into_equal_bytes() {
    let bytes = || bake_texts(TMX, TSX).unwrap().to_bytes();
    assert_eq!(bytes(), bytes());
}

#[test]
fn an_exit_to_a_zone_that_the_world_lacks_is_left_out() {
    let map = bake_texts(&TMX.replace("meadow", "moon"), TSX).unwrap();
    assert_eq!(map.parts().exits, []);
}

#[test]
fn what_does_nothing_is_noted() {
    let layer =
        "layer \"signs\" is taken as notes: the object layers read are spawns, exits and flowers";
    let leads = "the exit to meadow leads nowhere yet: zones cannot be changed";
    assert_eq!(notes_of(TMX), [layer, leads]);
    let left_out = "the exit to moon is left out of the map: no such [[zone]]";
    assert_eq!(notes_of(&TMX.replace("meadow", "moon")), [layer, left_out]);
}

#[test]
fn a_misspelt_object_layer_is_no_note() {
    check("name=\"flowers\"", "name=\"flower\"", &["\"flower\": not read: name it \"flowers\""]);
    check("name=\"exits\"", "name=\"Exits\"", &["\"Exits\": not read: name it \"exits\""]);
    let spawns = ["\"spwans\": not read: name it \"spawns\"", "no point named \"start\""];
    check("name=\"spawns\"", "name=\"spwans\"", &spawns);
}

#[test]
fn maps_of_another_kind_are_refused() {
    check("orthogonal", "isometric", &["not orthogonal"]);
    check("infinite=\"0\"", "infinite=\"1\"", &["infinite"]);
    check("width=\"4\" height=\"3\" tilewidth", "width=\"4\" height=\"900\" tilewidth", &["4×900"]);
    check("width=\"4\" height=\"3\" tilewidth", "width=\"0\" height=\"3\" tilewidth", &["0×3"]);
    check("<map ", "<mop ", &["not a Tiled map"]);
    let second = "<tileset firstgid=\"9\" source=\"tileset.tsx\"/> <layer id=\"1\"";
    check("<layer id=\"1\"", second, &["exactly one tileset"]);
}

#[test]
fn layers_that_cannot_be_counted_are_refused_before_they_are_unpacked() {
    check("encoding=\"csv\"", "encoding=\"base64\" compression=\"zlib\"", &["CSV"]);
    check("encoding=\"csv\"", "", &["CSV"]);
    check("<data encoding=\"csv\">\n1,", "<data encoding=\"csv\"><chunk/>\n1,", &["infinite"]);
    check("1,1,1,3,\n", "", &["8, 12"]);
    check("1,1,1,3,\n", "1,1,1,3,1,1,\n", &["14, 12"]);
}

#[test]
fn faults_of_layers_are_all_told() {
    check(
        "name=\"ground\" width=\"4\"",
        "name=\"ground\" width=\"5\"",
        &["\"ground\": it has not the size"],
    );
    check("type=\"bool\" value=\"true\"", "value=\"yes\"", &["\"roofs\": property \"above\""]);
    check("1,1,1,3,", "1,1,1,2147483651,", &["\"ground\": the tile at 3,1 is flipped"]);
    check("1,1,1,3,", "1,1,1,99,", &["uses tile 99 of 4"]);
    let group = "<group name=\"town\"/> <layer id=\"1\"";
    check("<layer id=\"1\"", group, &["\"town\": neither tiles nor objects"]);
    let layer = "<layer id=\"9\" name=\"more\" width=\"4\" height=\"3\"><data encoding=\"csv\">0,0,0,0,0,0,0,0,0,0,0,0</data></layer>";
    let many = format!("{}{}", layer.repeat(7), "<objectgroup id=\"3\"");
    check("<objectgroup id=\"3\"", &many, &["\"more\": over 8 tile layers"]);
}

#[test]
fn faults_of_objects_are_all_told() {
    check("name=\"start\"", "name=\"Start\"", &["\"spawns\": no point named \"start\""]);
    check("x=\"40\" y=\"8\"", "x=\"24\" y=\"8\"", &["spawn \"gate\" at 1,0 is not on free ground"]);
    check("x=\"33\" y=\"47\"", "x=\"24\" y=\"8\"", &["flower at 1,0"]);
    check("x=\"33\" y=\"47\"", "x=\"-1\" y=\"47\"", &["\"flowers\", object \"rose\" (id 4)"]);
    check(
        "x=\"33\" y=\"47\"><point/>",
        "x=\"33\" y=\"47\" width=\"3\" height=\"3\">",
        &["draw a point"],
    );
    check(
        "name=\"zone\"",
        "name=\"zoo\"",
        &["object \"out\" (id 3): add the string property zone"],
    );
    check("value=\"meadow\"", "value=\"Mea dow\"", &["no zone id"]);
    check(
        "width=\"16\" height=\"32\"",
        "width=\"64\" height=\"32\"",
        &["rectangle inside the map"],
    );
    check("width=\"16\" height=\"32\"", "width=\"0\" height=\"32\"", &["rectangle inside the map"]);
    let rose = "<object id=\"9\" name=\"rose\" x=\"33\" y=\"47\"><point/></object>";
    let many = format!("{}<object id=\"4\"", rose.repeat(MAX_MAP_OBJECTS));
    check("<object id=\"4\"", &many, &["257 flowers: at most 256"]);
    let broken = TMX.replace("name=\"zone\"", "name=\"zoo\"").replace("x=\"33\"", "x=\"99\"");
    faults_of(&broken, TSX, &["\"out\"", "\"rose\""]);
}

#[test]
fn faults_of_the_tileset_are_all_told() {
    check_tileset(
        "<image source=\"art/tileset.png\" width=\"32\" height=\"32\"/>",
        "",
        &["no single picture"],
    );
    check_tileset("tileheight=\"16\"", "tileheight=\"8\"", &["not square"]);
    check_tileset("columns=\"2\"", "columns=\"2\" spacing=\"1\"", &["margin or spacing"]);
    check_tileset("tilecount=\"4\"", "tilecount=\"70000\"", &["too many tiles"]);
    check_tileset(
        "name=\"solid\" type=\"bool\"",
        "name=\"solid\"",
        &["tile 1: property \"solid\""],
    );
    check_tileset("duration=\"50\"", "duration=\"70000\"", &["tile 2: its animation"]);
    check_tileset("duration=\"50\"", "duration=\"0\"", &["animation of tile 3 is broken"]);
    check_tileset("tileid=\"0\"", "tileid=\"9\"", &["animation of tile 4 is broken"]);
}

#[test]
fn a_file_that_is_not_there_is_told_with_what_names_it() {
    check("tileset.tsx", "absent.tsx", &["absent.tsx, which is no file: correct its tileset"]);
    let dir = TempDir::new().unwrap();
    let faults = bake(&dir.path().join("habor.tmx"), &world().zones[0], &world()).unwrap_err();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].to_string(), "no such file: correct `map` in world.toml");
}

#[test]
fn a_file_that_is_too_large_is_not_read_whole() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("harbor.tmx");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(MAX_TILED_FILE_BYTES + 1).unwrap();
    let faults = bake(&path, &world().zones[0], &world()).unwrap_err();
    assert!(faults[0].to_string().contains("bytes"), "{faults:?}");
}
