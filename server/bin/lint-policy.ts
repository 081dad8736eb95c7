import { text } from "node:stream/consumers";
import { parsePolicy } from "#server/policy/parse-policy.ts";

/**
 * Reads a policy from stdin and prints `{ok, problems}`, based only on the parser. `spillway policy lint --offline` starts it.
 */
const { policy, problems } = parsePolicy(await text(process.stdin));
process.stdout.write(`${JSON.stringify({ ok: policy !== null, problems })}\n`);
