// Loaded into every Node.js process of an emulated machine (NODE_OPTIONS=--import). Its clock and timers run as fast as the
// control plane's, so that minutes of a machine's life pass in seconds without changes to the agent's code.
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import promises from "node:timers/promises";

const [startMs, rate] = (process.env.SPILLWAY_CHAOS_CLOCK ?? "0,1").split(",").map(Number);
const now = Date.now;
Date.now = () => Math.round(startMs + (now() - startMs) * rate);
const { performance } = globalThis;
const monotonic = performance.now.bind(performance);
performance.now = () => monotonic() * rate;
const uptime = os.uptime;
os.uptime = () => uptime() * rate;
const timeout = globalThis.setTimeout;
globalThis.setTimeout = (callback, ms, ...rest) => timeout(callback, (ms ?? 0) / rate, ...rest);
const sleep = promises.setTimeout;
promises.setTimeout = (ms, value, options) => sleep((ms ?? 0) / rate, value, options);
syncBuiltinESMExports();
