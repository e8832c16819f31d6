//! The network of the cage: one interface that leads nowhere, and on which every address
//! of the world is this machine.
//!
//! The kernel is told by netlink, so no program has to be installed for it.

use std::os::fd::AsRawFd as _;

use anyhow::{Context as _, Result, bail};
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};

const NEW_LINK: u16 = 16;
const NEW_ROUTE: u16 = 24;
const REQUEST_WITH_ANSWER: u16 = 1 | 4;
const CREATE_OR_REPLACE: u16 = 0x400 | 0x100;
/// The loopback interface is always the first.
const LOOPBACK: u32 = 1;

/// Switches the loopback on and gives it every address.
pub fn close_in() -> Result<()> {
    let link = link_up();
    ask(NEW_LINK, REQUEST_WITH_ANSWER, &link).context("the loopback stays down")?;
    ask(
        NEW_ROUTE,
        REQUEST_WITH_ANSWER | CREATE_OR_REPLACE,
        &every_address(2),
    )
    .context("addresses could not be caught")?;
    // Without the newer protocol there is nothing to catch.
    ask(
        NEW_ROUTE,
        REQUEST_WITH_ANSWER | CREATE_OR_REPLACE,
        &every_address(10),
    )
    .unwrap_or_default();
    Ok(())
}

/// `struct ifinfomsg`: the interface, and the flag that it is up.
fn link_up() -> Vec<u8> {
    let mut body = vec![0, 0, 0, 0];
    body.extend(LOOPBACK.to_ne_bytes());
    body.extend(1_u32.to_ne_bytes());
    body.extend(1_u32.to_ne_bytes());
    body
}

/// `struct rtmsg`: a local route to everything, and the interface it leads to.
fn every_address(family: u8) -> Vec<u8> {
    const TABLE_LOCAL: u8 = 255;
    const BY_ADMINISTRATOR: u8 = 4;
    const SCOPE_HOST: u8 = 254;
    const TYPE_LOCAL: u8 = 2;
    const OUTPUT_INTERFACE: u16 = 4;
    let mut body = vec![
        family,
        0,
        0,
        0,
        TABLE_LOCAL,
        BY_ADMINISTRATOR,
        SCOPE_HOST,
        TYPE_LOCAL,
    ];
    body.extend(0_u32.to_ne_bytes());
    body.extend(8_u16.to_ne_bytes());
    body.extend(OUTPUT_INTERFACE.to_ne_bytes());
    body.extend(LOOPBACK.to_ne_bytes());
    body
}

/// Sends one request and reads the kernel's word on it.
fn ask(kind: u16, flags: u16, body: &[u8]) -> Result<()> {
    let length = u32::try_from(body.len())?.saturating_add(16);
    let mut message = Vec::new();
    message.extend(length.to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    message.extend(body);
    let line = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    sendto(
        line.as_raw_fd(),
        &message,
        &NetlinkAddr::new(0, 0),
        MsgFlags::empty(),
    )?;
    let mut answer = [0_u8; 512];
    let read = recv(line.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    let code = answer
        .get(16..20)
        .filter(|_| read >= 20)
        .and_then(|bytes| bytes.try_into().ok())
        .map(i32::from_ne_bytes);
    match code {
        Some(0) => Ok(()),
        Some(code) => bail!(
            "the kernel answered {}",
            std::io::Error::from_raw_os_error(-code)
        ),
        None => bail!("the kernel's answer was cut"),
    }
}
