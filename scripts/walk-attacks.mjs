// `npm run walk:attacks -- [--json] [--seconds 8]`: how fast `/healthz` of a fresh demo responds while each attack is sent four times at
// once. Exit code 1 if a check fails or takes more than 200 ms. The demo and the attacker share this machine, so use an idle one.
import process from "node:process";
import { parseArgs } from "node:util";
import { attacks, healthUnder } from "./walk/attacks.mjs";
import { Demo } from "./walk/demo.mjs";

const LIMIT_MS = 200;

const { values } = parseArgs({ options: { json: { type: "boolean" }, seconds: { type: "string", default: "8" } } });
const forMs = Number(values.seconds) * 1_000;
if (!(forMs > 0)) {
	console.error(`--seconds: "${values.seconds}" is not a number above 0.`);
	process.exit(2);
}
const demo = await Demo.start();
try {
	const seen = {};
	for (const [name, attack] of [["none", null], ...Object.entries(attacks())])
		seen[name] = await healthUnder({ url: demo.url, token: demo.token, attack, forMs });
	console.log(JSON.stringify(seen, null, values.json ? undefined : 2));
	const isSlow = ({ maxMs, health }) => maxMs > LIMIT_MS || Object.keys(health).some((status) => status !== "200");
	process.exitCode = Object.values(seen).some(isSlow) ? 1 : 0;
} finally {
	await demo.stop();
}
