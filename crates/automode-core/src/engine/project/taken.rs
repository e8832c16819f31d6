//! Packages that a build fetches and runs by itself, where a list of them changed: those
//! whose publisher few know are code that nobody chose.

use crate::exceptions::{in_tables, is_well_known};
use crate::scene::report;

/// What a list newly takes in; line by line, so that what was there before does not count.
pub(super) fn taken_in(path: &str, text: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let names: Vec<String> = match name {
        "Cargo.toml" => crates(text),
        "go.mod" => modules(text),
        "pom.xml" => groups(text),
        "Package.swift" => addresses(text),
        "build.gradle"
        | "build.gradle.kts"
        | "settings.gradle"
        | "settings.gradle.kts"
        | "libs.versions.toml" => coordinates(text),
        _ if name.ends_with(".csproj") || name.ends_with(".props") || name.ends_with(".fsproj") => {
            references(text)
        }
        _ => Vec::new(),
    };
    names
        .into_iter()
        .map(|name| format!("takes in `{}`, which is built and run", report::name(&name)))
        .collect()
}

/// Crates that few know, under their own name where they are renamed.
fn crates(text: &str) -> Vec<String> {
    let mut names: Vec<String> = in_tables(text)
        .map(|name| name.to_string())
        .filter(|name| !is_well_known(name))
        .collect();
    for line in text.lines().map(str::trim) {
        let renamed = line
            .split_once("package")
            .filter(|(before, _)| before.contains('{') || before.is_empty())
            .and_then(|(_, rest)| rest.trim_start().strip_prefix('='))
            .and_then(|rest| rest.split(['"', '\'']).nth(1));
        // `dependencies.x = "1"`.
        let dotted = line
            .split_once('=')
            .and_then(|(key, _)| key.trim().split_once("dependencies."))
            .map(|(_, name)| name.split('.').next().unwrap_or_default());
        let unknown = |name: &&str| !name.is_empty() && !is_well_known(name);
        names.extend(
            [renamed, dotted]
                .into_iter()
                .flatten()
                .filter(unknown)
                .map(str::to_owned),
        );
        let members = line.strip_prefix("members");
        if members.is_some_and(|list| list.contains("..")) {
            names.push("a member outside of the workspace".to_owned());
        }
    }
    names
}

/// Modules of Go whose owner few know.
fn modules(text: &str) -> Vec<String> {
    const OWNERS: &[&str] = &[
        "golang.org/",
        "google.golang.org/",
        "gopkg.in/yaml",
        "gopkg.in/check",
        "gopkg.in/ini",
        "go.uber.org/",
        "k8s.io/",
        "sigs.k8s.io/",
        "gorm.io/",
        "go.etcd.io/",
        "cloud.google.com/",
        "gotest.tools/",
        "modernc.org/",
        "entgo.io/",
        "go.opentelemetry.io/",
        "go.mongodb.org/",
        "gonum.org/",
        "connectrpc.com/",
        "filippo.io/",
        "honnef.co/",
        "mvdan.cc/",
        "rsc.io/",
        "github.com/stretchr/",
        "github.com/spf13/",
        "github.com/gin-gonic/",
        "github.com/gorilla/",
        "github.com/google/",
        "github.com/golang/",
        "github.com/go-chi/",
        "github.com/labstack/",
        "github.com/gofiber/",
        "github.com/sirupsen/",
        "github.com/rs/",
        "github.com/pkg/",
        "github.com/prometheus/",
        "github.com/aws/",
        "github.com/Azure/",
        "github.com/hashicorp/",
        "github.com/jackc/",
        "github.com/lib/pq",
        "github.com/go-sql-driver/",
        "github.com/mattn/",
        "github.com/redis/",
        "github.com/go-redis/",
        "github.com/onsi/",
        "github.com/golang-jwt/",
        "github.com/urfave/",
        "github.com/fatih/",
        "github.com/davecgh/",
        "github.com/pmezard/",
        "github.com/cespare/",
        "github.com/go-playground/",
        "github.com/json-iterator/",
        "github.com/modern-go/",
        "github.com/docker/",
        "github.com/grpc-ecosystem/",
        "github.com/uber-go/",
        "github.com/jmoiron/",
        "github.com/charmbracelet/",
        "github.com/kubernetes/",
        "github.com/cenkalti/",
        "github.com/patrickmn/",
        "github.com/shopspring/",
        "github.com/joho/",
        "github.com/gobwas/",
        "github.com/nats-io/",
        "github.com/segmentio/",
        "github.com/IBM/",
        "github.com/elastic/",
        "github.com/Masterminds/",
        "github.com/dgrijalva/",
        "github.com/robfig/",
        "github.com/samber/",
        "github.com/alecthomas/",
        "github.com/gogo/",
        "github.com/go-logr/",
        "github.com/klauspost/",
        "github.com/cockroachdb/",
        "github.com/testcontainers/",
        "github.com/DATA-DOG/",
        "github.com/go-kit/",
        "github.com/valyala/",
    ];
    let own = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("module "))
        .unwrap_or_default();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .map(|line| line.strip_prefix("require ").unwrap_or(line).trim())
        .filter_map(|line| {
            let (module, version) = line.split_once(' ')?;
            let required = version.trim_start().starts_with('v') && module.contains('.');
            let known = OWNERS.iter().any(|owner| module.starts_with(owner))
                || (!own.is_empty() && module.starts_with(own));
            (required && !known).then(|| module.to_owned())
        })
        .collect()
}

/// Publishers on the usual repositories of the JVM, by the beginning of their group.
const GROUPS: &[&str] = &[
    "org.apache.",
    "org.junit",
    "junit",
    "org.mockito",
    "org.assertj",
    "com.google.",
    "com.fasterxml.",
    "org.springframework",
    "io.spring.",
    "io.projectreactor",
    "org.slf4j",
    "ch.qos.logback",
    "org.projectlombok",
    "org.hibernate",
    "com.h2database",
    "org.postgresql",
    "mysql",
    "com.mysql",
    "org.mariadb",
    "io.netty",
    "org.jetbrains",
    "io.ktor",
    "com.squareup",
    "org.hamcrest",
    "commons-",
    "javax.",
    "jakarta.",
    "io.micrometer",
    "io.quarkus",
    "io.micronaut",
    "org.testcontainers",
    "com.zaxxer",
    "org.flywaydb",
    "org.liquibase",
    "org.mapstruct",
    "org.yaml",
    "com.github.ben-manes",
    "io.github.resilience4j",
    "net.bytebuddy",
    "org.jooq",
    "software.amazon.",
    "com.amazonaws",
    "com.azure",
    "redis.clients",
    "org.mongodb",
    "io.grpc",
    "org.bouncycastle",
    "org.jsoup",
    "com.opencsv",
    "org.json",
    "info.picocli",
    "org.wiremock",
    "io.rest-assured",
    "org.awaitility",
    "org.scala-lang",
    "io.kotest",
    "io.mockk",
    "androidx.",
    "com.android",
    "org.codehaus.groovy",
    "org.groovy",
    "org.spockframework",
    "org.testng",
    "com.diffplug.",
    "org.jacoco",
    "io.freefair",
    "org.graalvm",
    "org.eclipse.",
    "org.glassfish",
    "io.vertx",
    "io.swagger",
    "org.springdoc",
    "com.typesafe",
    "net.java.dev.jna",
    "org.ow2.asm",
    "org.checkerframework",
    "io.jsonwebtoken",
    "com.auth0",
    "com.google",
    "kotlin",
    "java",
    "application",
    "checkstyle",
    "pmd",
    "com.github.johnrengelman",
    "com.gradleup",
    "com.gradle",
    "org.gradle",
    "io.gitlab.arturbosch.detekt",
    "org.jlleitschuh",
    "com.example",
];

fn is_known_group(group: &str) -> bool {
    GROUPS.iter().any(|known| group.starts_with(known))
}

/// Groups in the file of Maven; the first that is not its parent's is the project's own.
fn groups(text: &str) -> Vec<String> {
    let own = text
        .split("<parent>")
        .next()
        .and_then(|head| head.split("<dependencies>").next())
        .and_then(|head| head.split("<build>").next())
        .and_then(|head| inner(head, "groupId").next());
    inner(text, "groupId")
        .filter(|group| Some(*group) != own && !group.starts_with("${") && !is_known_group(group))
        .map(str::to_owned)
        .chain(
            ["antrun", "gmavenplus", "groovy-maven", "exec-maven"]
                .into_iter()
                .filter(|plugin| text.contains(plugin))
                .map(str::to_owned),
        )
        .collect()
}

/// The texts of all elements of a name.
fn inner<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> + use<'t> {
    let open = format!("<{name}>");
    let parts: Vec<&'t str> = text.split(open.as_str()).skip(1).collect();
    parts
        .into_iter()
        .map(|part| part.split('<').next().unwrap_or_default().trim())
}

/// `'group:artifact:version'`, `id 'group.plugin'`, `module = "group:artifact"`.
fn coordinates(text: &str) -> Vec<String> {
    text.lines()
        .flat_map(|line| {
            let plugin = ["id ", "id(", "id =", "id=", "group ="]
                .iter()
                .any(|word| line.contains(word));
            line.split(['"', '\''])
                .skip(1)
                .step_by(2)
                .filter(move |word| {
                    let usual = |letter: char| {
                        letter.is_alphanumeric()
                            || matches!(letter, '.' | '-' | '_' | ':' | '$' | '{' | '}' | '+')
                    };
                    let coordinate = word.matches(':').count() >= 1
                        && !word.starts_with(':')
                        && word.chars().all(usual);
                    coordinate
                        || (plugin && word.contains('.') && word.chars().any(char::is_alphabetic))
                })
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter(|word| !is_known_group(word))
        .collect()
}

/// Packages of .NET whose publisher few know.
fn references(text: &str) -> Vec<String> {
    const PUBLISHERS: &[&str] = &[
        "microsoft.",
        "system.",
        "xunit",
        "nunit",
        "mstest",
        "moq",
        "fluentassertions",
        "newtonsoft.",
        "serilog",
        "automapper",
        "dapper",
        "mediatr",
        "polly",
        "swashbuckle",
        "coverlet",
        "npgsql",
        "stackexchange.",
        "awssdk",
        "azure.",
        "google.",
        "grpc",
        "nlog",
        "shouldly",
        "nsubstitute",
        "bogus",
        "humanizer",
        "entityframework",
        "fluentvalidation",
        "hangfire",
        "masstransit",
        "benchmarkdotnet",
        "verify",
        "opentelemetry",
        "csvhelper",
        "yamldotnet",
        "restsharp",
        "refit",
        "scrutor",
        "autofixture",
        "autofac",
        "castle.",
        "mongodb.",
        "mysql",
        "sqlite",
        "testcontainers",
        "wiremock",
        "stylecop",
        "roslynator",
        "sonaranalyzer",
        "avalonia",
        "spectre.",
        "rabbitmq",
        "confluent.",
        "identitymodel",
    ];
    text.split("<PackageReference")
        .skip(1)
        .filter_map(|part| part.split_once("Include"))
        .filter_map(|(_, rest)| rest.split('"').nth(1))
        .filter(|name| {
            let name = name.to_lowercase();
            !PUBLISHERS.iter().any(|known| name.starts_with(known))
        })
        .map(str::to_owned)
        .collect()
}

/// Packages of Swift by the address they come from, and plugins that run in the build.
fn addresses(text: &str) -> Vec<String> {
    const OWNERS: &[&str] = &[
        "https://github.com/apple/",
        "https://github.com/swiftlang/",
        "https://github.com/vapor/",
        "https://github.com/pointfreeco/",
        "https://github.com/alamofire/",
        "https://github.com/realm/",
        "https://github.com/firebase/",
        "https://github.com/google/",
        "https://github.com/grpc/",
        "https://github.com/swift-server/",
        "https://github.com/quick/",
        "https://github.com/onevcat/",
        "https://github.com/sdwebimage/",
        "https://github.com/reactivex/",
        "https://github.com/jpsim/",
        "https://github.com/airbnb/",
    ];
    let plugin = text.contains(".plugin(").then(|| ".plugin(".to_owned());
    text.split("url:")
        .skip(1)
        .filter_map(|rest| rest.split('"').nth(1))
        .filter(|url| {
            let url = url.to_lowercase();
            !OWNERS.iter().any(|owner| url.starts_with(owner))
        })
        .map(str::to_owned)
        .chain(plugin)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::taken_in;

    fn check(path: &str, text: &str, expected: usize) {
        let found = taken_in(path, text);
        assert_eq!(found.len(), expected, "{path}: {found:?}");
    }

    #[test]
    fn packages_that_few_know_stand_out() {
        check(
            "/p/Cargo.toml",
            "[dependencies]\nserde = { package = \"evil\", version = \"1\" }\n",
            1,
        );
        check("/p/Cargo.toml", "dependencies.evil-x = \"1\"\n", 1);
        check("/p/Cargo.toml", "[workspace]\nmembers = [\"..\"]\n", 1);
        check("/p/Cargo.toml", "[dependencies]\nserde = \"1\"\n", 0);
        check(
            "/p/go.mod",
            "module m\n\nrequire evil.example/x v1.0.0\n",
            1,
        );
        check(
            "/p/go.mod",
            "module m\n\ngo 1.21\n\nrequire (\n\tgithub.com/stretchr/testify v1.9.0 // indirect\n)\n",
            0,
        );
        check(
            "/p/pom.xml",
            "<project><groupId>com.me</groupId><dependencies><dependency><groupId>com.evil</groupId></dependency></dependencies></project>",
            1,
        );
        check(
            "/p/pom.xml",
            "<project><groupId>com.me</groupId><dependencies><dependency><groupId>org.junit.jupiter</groupId></dependency></dependencies></project>",
            0,
        );
        check("/p/build.gradle", "implementation 'com.evil:x:1'\n", 1);
        check(
            "/p/build.gradle",
            "plugins { id 'java' }\ntestImplementation \"org.junit.jupiter:junit-jupiter:5.10.0\"\n",
            0,
        );
        check(
            "/p/A.csproj",
            "<PackageReference Include=\"Evil.Pkg\" Version=\"1\"/>",
            1,
        );
        check(
            "/p/A.csproj",
            "<PackageReference Include=\"xunit\" Version=\"2.6.0\"/>",
            0,
        );
        check(
            "/p/Package.swift",
            ".package(url: \"https://evil.example/x\", branch: \"main\")",
            1,
        );
        check(
            "/p/Package.swift",
            ".package(url: \"https://github.com/apple/swift-nio.git\", from: \"2.0.0\")",
            0,
        );
    }
}
