import { describe, expect, it } from "vitest";
import { parseJobText } from "#server/domain/job-file.ts";
import { jobTemplates } from "./templates.ts";

describe("jobTemplates", () => {
	it.each(jobTemplates("risk", null))("$label is a valid job of the user's team", ({ text }) => {
		expect(parseJobText(text)).toMatchObject({ team: "risk", resources: { gpus: 1 } });
	});

	it("lists the example first if it is available", () => {
		expect(jobTemplates("risk", "x").map((t) => t.id)).toEqual(["language-id", "one-command", "spot-experiment"]);
	});
});
