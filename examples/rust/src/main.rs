//! A bot for Rust with rmp-serde, written from docs/protocol.md.
//!
//!     cargo run --release -- HOST PORT TABLE [NAME]
//!
//! It sits down at a table and plays its weakest choice, until the match ends. When the connection
//! breaks it comes back to its seat.

use serde_json::{json, Value};
use std::io::{Error, Read, Result, Write};
use std::{env, net::TcpStream, process::exit, thread, time::Duration};

const SILENCE: Duration = Duration::from_secs(45); // the server pings every 15 s
const ATTEMPTS: u32 = 25; // to come back, one after the other, within some three minutes
const FINAL: &str = "version_unsupported bad_hello bad_name wrong_password refused replaced";

#[derive(Default)]
struct Bot {
    table: String,
    name: String,
    token: Option<String>, // the seat is ours for as long as we have it
    seen: Value,           // `seq` of the last event, `instance` of the server
    instance: Value,
    failed: u32,
    end: Option<String>, // how the evening ended, or why it cannot be played
}

fn say(stream: &mut TcpStream, message: Value) -> Result<()> {
    let body = rmp_serde::to_vec_named(&message).map_err(Error::other)?;
    stream.write_all(&[&(body.len() as u32).to_be_bytes()[..], &body].concat())
}

fn hear(stream: &mut TcpStream) -> Result<Value> {
    let mut header = [0; 4];
    stream.read_exact(&mut header)?;
    let size = u32::from_be_bytes(header) as usize;
    let mut body = if size <= 262_144 { vec![0; size] } else { return Err(Error::other("size")) };
    stream.read_exact(&mut body)?;
    rmp_serde::from_slice(&body).map_err(Error::other)
}

impl Bot {
    /// Talks on one connection, until the evening is over or the connection is.
    fn talk(&mut self, host: &str, port: u16) -> Result<()> {
        let mut stream = TcpStream::connect((host, port))?;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_nodelay(true)?;
        let name = &self.name;
        say(&mut stream, json!({"t": "hello", "versions": [1, 1], "name": name, "kind": "bot"}))?;
        while self.end.is_none() {
            let message = hear(&mut stream)?;
            self.answer(&message, &mut stream)?;
        }
        Ok(())
    }

    /// Does what one message asks for; what it does not know it leaves alone.
    fn answer(&mut self, message: &Value, stream: &mut TcpStream) -> Result<()> {
        let text = |key: &str| message[key].as_str().unwrap_or("").to_string();
        let reason = text("reason");
        match message["t"].as_str().unwrap_or("") {
            "welcome" => {
                self.instance = message["instance"].clone();
                let mut enter = self.seen.clone(); // for a resume: `seq` and `instance`
                (enter["id"], enter["table"]) = (1.into(), self.table.as_str().into());
                enter["t"] = if self.token.is_some() { "resume" } else { "join" }.into();
                self.token.iter().for_each(|token| enter["token"] = token.as_str().into());
                say(stream, enter)?;
            }
            "seated" => (self.token, self.failed) = (Some(text("token")), 0),
            "snapshot" => self.seen = json!({"seq": message["seq"], "instance": self.instance}),
            "event" => {
                let (last, seq) = (self.seen["seq"].as_u64(), message["seq"].as_u64());
                if last.is_some() && seq > last.map(|number| number + 1) {
                    self.seen = Value::Null; // come again, for a snapshot
                    return Err(Error::other("an event is missing"));
                }
                self.seen = json!({"seq": seq, "instance": self.instance});
                if message["event"]["e"] == "match_ended" {
                    say(stream, json!({"t": "leave", "id": 4}))?;
                    say(stream, json!({"t": "bye", "reason": "leaving"}))?;
                    let winners = &message["event"]["winners"];
                    self.end = Some(format!("the match is over, won by player {winners}"));
                }
            }
            "decision" => say(stream, json!({"t": "act", "id": 3,
                "decision": message["decision"], "choice": message["choices"][0]}))?,
            "ping" => say(stream, json!({"t": "pong", "n": message["n"].as_u64().unwrap_or(0)}))?,
            "error" if message["re"] == 1 => match (&self.token, text("code").as_str()) {
                (None, _) => self.end = Some(format!("cannot sit down: {}", text("message"))),
                (_, "bad_token" | "no_such_table") => self.end = Some("the seat is gone".into()),
                _ => return Err(Error::other(text("message"))),
            },
            "unseated" => self.end = Some(format!("no longer at the table: {reason}")),
            "bye" if self.token.is_none() || FINAL.contains(&reason) => {
                self.end = Some(format!("the server said bye: {reason}"));
            }
            _ => (),
        }
        Ok(())
    }
}

fn main() {
    let given: Vec<String> = env::args().skip(1).collect();
    let [host, port, table, rest @ ..] = &given[..] else { panic!("HOST PORT TABLE [NAME]") };
    let (table, name) = (table.clone(), rest.first().cloned().unwrap_or("Rusty".into()));
    let mut bot = Bot { table, name, ..Bot::default() };
    while let Err(error) = bot.talk(host, port.parse().expect("PORT is a number")) {
        bot.failed += 1;
        if bot.token.is_none() || bot.failed > ATTEMPTS {
            bot.end = Some(format!("cannot play: {error}"));
            break;
        }
        thread::sleep(Duration::from_millis(8000.min(250 << bot.failed.min(5))));
    }
    let end = bot.end.unwrap_or_default();
    println!("{end}");
    exit(if end.starts_with("the match") || end.starts_with("no longer") { 0 } else { 1 });
}
