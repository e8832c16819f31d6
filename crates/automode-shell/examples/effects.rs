//! Prints what a command would do: `cargo run --example effects -- 'rm -rf build'`.

use automode_shell::{Context, Facts, analyse};

fn main() {
    let context = Context {
        cwd: "/home/dev/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/home/dev/app".to_owned()],
        variables: Vec::new(),
    };
    for text in std::env::args().skip(1) {
        let analysis = analyse(&text, &context, &Facts::default());
        println!("{text}");
        for invocation in &analysis.invocations {
            let words: Vec<String> = invocation.argv.iter().map(|word| word.shown()).collect();
            println!("  run   {}", words.join(" "));
        }
        for effect in &analysis.effects {
            println!("  will  {}", effect.act);
        }
        for gap in analysis.coverage.gaps() {
            println!("  gap   {}", gap.kind);
        }
    }
}
