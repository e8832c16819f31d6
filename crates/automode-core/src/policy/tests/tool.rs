//! Tools by name, by one parameter, by server, agents and hosts.

use super::table;

#[test]
fn names() {
    table(
        r#"
        WebSearch      WebSearch {"query": "q"}   deny  allow
        WebSearch      Teleport                   -     -
        NoSuchTool     Bash {"command": "x"}      -     -
        Teleport       Teleport                   deny  allow
        Web*           WebSearch {"query": "q"}   deny  -
        *              Teleport                   deny  -
        Skill(deploy)  Skill {"skill": "deploy"}  deny  allow
        Skill(deploy)  Skill {"skill": "other"}   -     -
        "#,
    );
}

#[test]
fn servers() {
    table(
        r#"
        mcp__github             mcp__github__get_issue {"n": 1}  deny  allow
        mcp__github__*          mcp__github__get_issue           deny  allow
        mcp__github__get_issue  mcp__github__get_issue           deny  allow
        mcp__github__get_issue  mcp__github__get_issues          -     -
        mcp__github__get_*      mcp__github__get_issue           deny  allow
        mcp__github__list_*     mcp__github__get_issue           -     -
        mcp__git                mcp__github__get_issue           -     -
        mcp__git__*             mcp__github__get_issue           -     -
        mcp__*                  mcp__github__get_issue           deny  -
        *                       mcp__github__get_issue           deny  -
        mcp__a__b               mcp__a__b__c                     -     -
        mcp__a__b__*            mcp__a__b__c                     deny  allow
        mcp__github             mcp__github                      -     -
        mcp__notes              ReadMcpResourceTool {"server": "notes", "uri": "n://1"}              deny  -
        mcp__notes              ReadMcpResourceTool {"server": "notes", "uri": "file:///a"}          deny  -
        mcp__notes__read_*      read_mcp_resource {"server": "notes", "uri": "n://1"}                deny  -
        mcp__*                  ReadMcpResourceTool {"server": "notes", "uri": "n://1"}              deny  -
        mcp__notes__list_*      ReadMcpResourceTool {"server": "notes", "uri": "n://1"}              -     -
        mcp__other              ReadMcpResourceTool {"server": "notes", "uri": "n://1"}              -     -
        "#,
    );
}

#[test]
fn agents() {
    table(
        r#"
        Agent                   Task {"subagent_type": "Explore", "prompt": "p"}                deny  allow
        Task                    Task {"subagent_type": "Explore", "prompt": "p"}                deny  allow
        Agent(Explore)          Task {"subagent_type": "Explore", "prompt": "p"}                deny  allow
        Agent(Explore)          Task {"subagent_type": "Plan", "prompt": "p"}                   -     -
        Agent(Expl*)            Task {"subagent_type": "Explore", "prompt": "p"}                deny  allow
        Agent(model:opus)       Task {"subagent_type": "Plan", "prompt": "p", "model": "opus"}  deny  -
        Agent(model:haiku)      Task {"subagent_type": "Plan", "prompt": "p", "model": "opus"}  -     -
        Agent(model:*)          Agent {"prompt": "p"}                                           -     -
        Agent(general-purpose)  Agent {"prompt": "p"}                                           deny  -
        "#,
    );
}

#[test]
fn inputs_of_an_odd_shape() {
    table(
        r#"
        Bash(run_in_background:true)  Bash {"command": "x", "run_in_background": true}  deny  -
        Bash(rm *)                    Bash {"command": ["rm"]}                          ask   -
        Bash                          Bash {"command": ["rm"]}                          deny  -
        Read                          Read                                              deny  -
        "#,
    );
}

#[test]
fn hosts() {
    table(
        r#"
        WebFetch                        WebFetch {"url": "https://x.org", "prompt": "p"}                          deny  allow
        WebFetch(domain:example.com)    WebFetch {"url": "https://example.com/x", "prompt": "p"}                  deny  allow
        WebFetch(domain:example.com)    WebFetch {"url": "https://EXAMPLE.com.:443/x", "prompt": "p"}             deny  allow
        WebFetch(domain:example.com)    WebFetch {"url": "https://a.example.com", "prompt": "p"}                  -     -
        WebFetch(domain:example.com)    WebFetch {"url": "https://evilexample.com", "prompt": "p"}                -     -
        WebFetch(domain:example.com)    WebFetch {"url": "https://example.com.evil.org", "prompt": "p"}           -     -
        WebFetch(domain:*.example.com)  WebFetch {"url": "https://a.b.example.com", "prompt": "p"}                deny  allow
        WebFetch(domain:*.example.com)  WebFetch {"url": "https://example.com", "prompt": "p"}                    -     -
        WebFetch(domain:*.example.com)  WebFetch {"url": "https://evilexample.com", "prompt": "p"}                -     -
        WebFetch(domain:example.com)    WebFetch {"url": "https://example.com@evil.org/", "prompt": "p"}          -     -
        WebFetch(domain:evil.org)       WebFetch {"url": "https://example.com@evil.org/", "prompt": "p"}          deny  -
        WebFetch(domain:example.com)    WebFetch {"url": "https://evil.org/?https://example.com", "prompt": "p"}  -     -
        WebFetch(domain:*)              WebFetch {"url": "ftp://x", "prompt": "p"}                                deny  allow
        "#,
    );
}

#[test]
fn power_shell() {
    table(
        r#"
        PowerShell                   PowerShell {"command": "x"}                  deny  allow
        PowerShell(Get-ChildItem *)  PowerShell {"command": "gci -Recurse"}       deny  allow
        PowerShell(Get-ChildItem *)  PowerShell {"command": "gci; rm x"}          deny  -
        PowerShell(Remove-Item *)    PowerShell {"command": "gci | % { rm x }"}   deny  -
        PowerShell(rm:*)             PowerShell {"command": "Remove-Item x"}      deny  allow
        PowerShell(git status)       PowerShell {"command": "GIT status"}         deny  allow
        PowerShell(git status)       PowerShell {"command": "git push"}           -     -
        PowerShell(echo *)           PowerShell {"command": "echo $(rm x)"}       deny  -
        Bash(rm *)                   PowerShell {"command": "rm x"}               -     -
        "#,
    );
}
