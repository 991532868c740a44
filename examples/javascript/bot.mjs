// A bot for Node and @msgpack/msgpack, written from docs/protocol.md.
//
//     npm ci && node bot.mjs HOST PORT TABLE [NAME]
//
// It sits down at a table and plays its weakest choice, until the match ends. When the connection
// breaks it comes back to its seat.

import net from "node:net";
import { randomBytes } from "node:crypto";
import { decode, encode } from "@msgpack/msgpack";

const SILENCE = 45_000; // the server pings every 15 s; after so many ms it is taken for gone
const PATIENCE = 180_000; // for so long a lost connection is tried again
const LARGEST = 262_144; // bytes of a frame
const FINAL =
  ["version_unsupported", "bad_hello", "bad_name", "wrong_password", "refused", "replaced"];

const [host, port, table, name = "Jay"] = process.argv.slice(2);
if (!table) {
  console.error("usage: node bot.mjs HOST PORT TABLE [NAME]");
  process.exit(2);
}

let token = null; // the seat is ours for as long as we have it
let seq = null; // the number of the last event
let seqInstance = null; // of which run of the server that is
let instance = null;
let delay = 500;
let heard = Date.now();

function finish(text, code = 1) {
  (code ? console.error : console.log)(text);
  process.exit(code);
}

function connect() {
  const socket = net.connect({ host, port: Number(port) });
  let data = Buffer.alloc(0);
  const say = (message) => {
    const body = Buffer.from(encode(message));
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    socket.write(Buffer.concat([header, body]));
  };
  socket.setTimeout(SILENCE, () => socket.destroy());
  socket.on("error", (error) => token === null && finish(`cannot play: ${error.message}`));
  socket.on("connect", () => {
    say({ t: "hello", versions: [1, 1], name, kind: "bot", client: "bot.mjs" });
  });
  socket.on("data", (chunk) => {
    data = Buffer.concat([data, chunk]);
    while (data.length >= 4 && !socket.destroyed) {
      const size = data.readUInt32BE(0);
      if (size === 0 || size > LARGEST) return socket.destroy();
      if (data.length < 4 + size) return;
      const body = data.subarray(4, 4 + size);
      data = data.subarray(4 + size);
      heard = Date.now();
      try {
        answer(decode(body), say, socket);
      } catch {
        return socket.destroy(); // nonsense: come again
      }
    }
  });
  socket.on("close", () => {
    if (token === null) finish("the server hung up");
    if (Date.now() - heard > PATIENCE) finish("cannot play: the server is gone");
    setTimeout(connect, delay * (0.75 + Math.random() / 2));
    delay = Math.min(2 * delay, 8000);
  });
}

function answer(message, say, socket) {
  if (message.t === "welcome") {
    instance = message.instance;
    if (token === null) say({ t: "join", id: 1, table });
    else if (seq === null) say({ t: "resume", id: 1, table, token });
    else say({ t: "resume", id: 1, table, token, seq, instance: seqInstance });
  } else if (message.t === "seated") {
    token = message.token;
    delay = 500;
  } else if (message.t === "snapshot") {
    [seq, seqInstance] = [message.seq, instance];
    if (message.table.next_commitment) addNonce(message.table.next_hand ?? 1, say);
  } else if (message.t === "event") {
    if (seq !== null && message.seq > seq + 1) {
      seq = null; // one is missing: come again, and have a snapshot
      return socket.destroy();
    }
    [seq, seqInstance] = [message.seq, instance];
    const event = message.event;
    if (event.e === "hand_prepared") addNonce(event.hand, say);
    if (event.e === "match_ended") {
      const winners = event.winners.join(" and ");
      say({ t: "leave", id: 4 });
      say({ t: "bye", reason: "leaving" });
      socket.end(() => finish(`the match is over, won by player ${winners}`, 0));
    }
  } else if (message.t === "decision") {
    say({ t: "act", id: 3, decision: message.decision, choice: message.choices[0] });
  } else if (message.t === "ping") {
    say({ t: "pong", n: message.n ?? 0 });
  } else if (message.t === "error" && message.re === 1) {
    if (token === null) finish(`cannot sit down: ${message.message}`);
    if (["bad_token", "no_such_table"].includes(message.code)) finish("the seat is gone");
    socket.destroy();
  } else if (message.t === "unseated") {
    finish(`no longer at the table: ${message.reason}`, 0);
  } else if (message.t === "bye" && (token === null || FINAL.includes(message.reason))) {
    finish(`the server said bye: ${message.reason}`);
  } // whatever else it is, it may be ignored
}

function addNonce(hand, say) {
  say({ t: "nonce", id: 2, hand, nonce: randomBytes(8).toString("hex") });
}

connect();
