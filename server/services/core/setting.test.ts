import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Settings that processes record for themselves without reading them first, and the zone, which is written once. */
const WITHOUT_LOCK = [
	"capacity/instance/restored.ts",
	"core/deployment.ts",
	"core/heartbeat.ts",
	"core/ledger-calendar.ts",
	"core/setting.ts",
	"governance/audit/check-chain.ts",
	"ledger/charge/egress-volumes.ts",
	"ledger/charge/meter-commitments.ts",
	"ledger/charge/nightly-check.ts",
	"overview/expiry/record.ts",
	"work/agent/listening.ts",
];

it("lets people change settings only with lockSetting: the second of two concurrent changes builds on the first", () => {
	const services = new URL("../", import.meta.url);
	const sources = globSync("**/*.ts", { cwd: services, exclude: (file) => file.endsWith(".test.ts") || file === "testing" });
	const writers = sources.filter((file) => /\.(insert|update)\(setting\)/.test(readFileSync(new URL(file, services), "utf8")));
	expect(writers.sort()).toEqual(WITHOUT_LOCK);
});
