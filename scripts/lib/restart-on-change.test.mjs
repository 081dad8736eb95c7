import { expect, test } from "vitest";
import { affectedBy } from "./restart-on-change.mjs";

test.each([
	["services/work/job/cancel.ts", "programs"],
	["bin/web.ts", "programs"],
	["emulators/aws/world.ts", "clouds"],
	["bin/aws-emulator.ts", "clouds"],
	["policy/parse-policy.test.ts", null],
	["db/testing/database.ts", null],
	["rates/data/offers.json", null],
])("a change of server/%s restarts %s", (file, group) => {
	expect(affectedBy(file)).toBe(group);
});
