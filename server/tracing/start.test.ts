import { expect, it } from "vitest";
import { makeTraceStarter } from "./start.ts";

const ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${ID}-b7ad6b7169203331-01`;

it.each([
	["too long", `${PARENT}${"-x".repeat(4_000)}`],
	["zeros", `00-${"0".repeat(32)}-b7ad6b7169203331-01`],
	["a line break", `${PARENT}\r\nx: y`],
	["another version's length", `ff-${ID}-b7ad6b7169203331-01`],
	["SQL", `00-${"'; drop table job; --".padEnd(32, "a")}-b7ad6b7169203331-01`],
])("a traceparent with %s starts a new trace", (_, traceparent) => {
	const trace = makeTraceStarter(1)({ traceparent }, 0);
	expect(trace).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), parentSpanId: null });
	expect(trace?.traceId).not.toBe(ID);
});

it.each(["a=\u0000", "a=b\nc", "=", "a=\u00e9", `a=${"b".repeat(600)}`, "x".repeat(9_000)])(
	"a tracestate of %j is not passed on",
	(tracestate) => {
		expect(makeTraceStarter(0)({ traceparent: PARENT, tracestate }, 0)).toMatchObject({ traceId: ID, traceState: null });
	},
);
