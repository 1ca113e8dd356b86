//! `ringlog config get`: what is in force, and why.

use clap::Args;

use super::{Kind, Setting, Source, check_broker, settings_of};
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::Failure;
use crate::cli::json::{Json, list, object};
use crate::cli::table::{Table, or_dash};
use crate::cli::topic::distinct;

/// What `ringlog config get` takes.
#[derive(Debug, Args)]
pub struct GetArgs {
    /// What has the settings
    kind: Kind,
    /// The topic, the group, the broker's number, or `default` for all brokers
    name: String,
    /// Settings to show [default: all]
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Show only what was set
    #[arg(long)]
    changed: bool,
    /// Say what each setting means
    #[arg(long)]
    explain: bool,
}

/// Does what was asked.
pub fn run(args: &GetArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    check_broker(&client, args.kind, &args.name)?;
    let whose = [(args.kind, args.name.as_str())];
    if args.kind == Kind::Topic {
        crate::cli::topic::find_topics(&mut client, &[&args.name])?;
    }
    let all = client.until_done(|client| settings_of(client, &whose, args.explain))?.remove(0);
    let keys = distinct(&args.keys);
    if let Some(missing) = keys.iter().find(|key| all.iter().all(|setting| setting.name != **key)) {
        let (word, name) = (args.kind.word(), &args.name);
        return Err(Failure::Refused(format!(
            "{word} {name} has no setting {missing}; `ringlog config get {word} {name}` shows all of them"
        )));
    }
    let is_wanted = |setting: &&Setting| {
        (keys.is_empty() || keys.contains(&setting.name.as_str()))
            && (!args.changed || !matches!(setting.source, Source::Default | Source::File))
    };
    let wanted: Vec<&Setting> = all.iter().filter(is_wanted).collect();
    let json = || {
        object([
            ("kind", args.kind.word().into()),
            ("name", args.name.as_str().into()),
            ("settings", list(&wanted, |setting| json_of(setting, args.explain))),
        ])
    };
    cluster.print(json, || text_of(&wanted, args.explain))
}

fn json_of(setting: &Setting, explain: bool) -> Json {
    let mut json = object([
        ("name", setting.name.as_str().into()),
        ("value", setting.value.clone().into()),
        ("source", setting.source.word().into()),
        ("type", setting.value_type.into()),
        ("default", setting.default.clone().into()),
        ("read_only", setting.is_read_only.into()),
        ("sensitive", setting.is_secret.into()),
    ]);
    if let (true, Json::Object(fields)) = (explain, &mut json) {
        fields.push(("documentation".to_owned(), setting.documentation.clone().into()));
    }
    json
}

fn text_of(settings: &[&Setting], explain: bool) -> String {
    if settings.is_empty() {
        return "nothing is set here\n".to_owned();
    }
    let value = |setting: &Setting| {
        if setting.is_secret { "(secret)".to_owned() } else { or_dash(setting.value.as_deref()) }
    };
    if explain {
        let entry = |setting: &&Setting| {
            format!(
                "{} = {}\n  {} from {}, default {}{}\n  {}\n",
                setting.name,
                value(setting),
                setting.value_type,
                setting.source.word(),
                or_dash(setting.default.as_deref()),
                if setting.is_read_only { ", read only" } else { "" },
                setting.documentation.as_deref().unwrap_or("(the broker has no text about it)")
            )
        };
        return settings.iter().map(entry).collect::<Vec<_>>().join("\n");
    }
    let mut table = Table::new(&["SETTING", "VALUE", "SOURCE", "TYPE", "DEFAULT"]);
    for setting in settings {
        table.push([
            setting.name.clone(),
            value(setting),
            setting.source.word(),
            setting.value_type.to_owned(),
            or_dash(setting.default.as_deref()),
        ]);
    }
    table.text("")
}
