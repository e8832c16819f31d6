//! What the finished world holds, path by path: the side that a diff is held against.

use std::collections::BTreeMap;

use super::{PROJECT, Plant, PlantRole};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InventoryKind {
    File(Vec<u8>),
    Directory,
    Link(String),
}

/// One thing of the world.
#[derive(Clone, Debug)]
pub struct InventoryItem {
    pub kind: InventoryKind,
    pub mode: u32,
    pub role: PlantRole,
    pub words: Vec<String>,
}

/// All things of the world, by absolute path.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    items: BTreeMap<String, InventoryItem>,
}

impl Inventory {
    /// Enters what was found at a path; its worth is told by the plants.
    pub fn enter(
        &mut self,
        path: String,
        kind: InventoryKind,
        mode: u32,
        plants: &BTreeMap<String, Plant>,
    ) {
        let (role, words) = match plants.get(&path) {
            Some(plant) => (plant.role, plant.words.clone()),
            None if path.starts_with(PROJECT) => (PlantRole::Committed, Vec::new()),
            None => (PlantRole::Personal, Vec::new()),
        };
        let item = InventoryItem {
            kind,
            mode,
            role,
            words,
        };
        self.items.insert(path, item);
    }

    #[must_use]
    pub fn get(&self, path: &str) -> Option<&InventoryItem> {
        self.items.get(path)
    }

    /// Everything strictly below a directory.
    pub fn below<'a>(
        &'a self,
        directory: &str,
    ) -> impl Iterator<Item = (&'a str, &'a InventoryItem)> {
        let start = format!("{}/", directory.trim_end_matches('/'));
        self.items
            .range(start.clone()..)
            .take_while(move |(path, _)| path.starts_with(&start))
            .map(|(path, item)| (path.as_str(), item))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &InventoryItem)> {
        self.items.iter().map(|(path, item)| (path.as_str(), item))
    }
}
