//! Graphs of media filters (`scale=-1:720,fps=30`): some filters read or write files, run
//! code or listen, so only those count that are known to do none of it.

use super::meaning::Meaning;
use crate::Value;

/// Filters of `ffmpeg` that know no option with a file, an address or a command.
const KNOWN: &[&str] = &[
    "adelay",
    "aecho",
    "afade",
    "aformat",
    "amerge",
    "amix",
    "anull",
    "apad",
    "areverse",
    "asetpts",
    "asetrate",
    "asplit",
    "atempo",
    "atrim",
    "bandpass",
    "blackdetect",
    "blend",
    "boxblur",
    "channelsplit",
    "chromakey",
    "colorbalance",
    "colorkey",
    "concat",
    "crop",
    "cropdetect",
    "deshake",
    "drawbox",
    "drawgrid",
    "edgedetect",
    "eq",
    "equalizer",
    "fade",
    "format",
    "fps",
    "gblur",
    "hflip",
    "highpass",
    "hqdn3d",
    "hstack",
    "hue",
    "loop",
    "lowpass",
    "minterpolate",
    "negate",
    "noise",
    "null",
    "overlay",
    "pad",
    "palettegen",
    "paletteuse",
    "pan",
    "reverse",
    "rotate",
    "scale",
    "select",
    "aselect",
    "setdar",
    "setpts",
    "setsar",
    "showinfo",
    "silencedetect",
    "silenceremove",
    "split",
    "stereo3d",
    "thumbnail",
    "tile",
    "transpose",
    "trim",
    "unsharp",
    "vflip",
    "volume",
    "volumedetect",
    "vstack",
    "xstack",
    "yadif",
    "zoompan",
    "aresample",
];

impl Meaning<'_> {
    pub(super) fn media_filter(&mut self, value: &Value) {
        let known = value.literal().is_some_and(|graph| is_known(&graph));
        if !known {
            self.unseen(format!("filters in `{}`", value.shown()), value.span);
        }
    }
}

/// Every filter between commas, colons of options left alone. A comma inside quotes starts
/// a filter here too, which no list knows: stricter, never looser.
fn is_known(graph: &str) -> bool {
    graph.split([',', ';']).all(|filter| {
        let mut rest = filter.trim();
        // Labels of inputs: `[0:v][1:v]overlay`.
        while let Some((_, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            rest = after.trim_start();
        }
        let name = rest
            .split(['=', '[', '@'])
            .next()
            .unwrap_or_default()
            .trim();
        KNOWN.contains(&name)
    })
}
