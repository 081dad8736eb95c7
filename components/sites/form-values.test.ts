import { expect, it } from "vitest";
import { problemsOf, settingOf, textOf } from "./form-values.ts";

it.each([
	["text", "spillway", "spillway"],
	["lines", ["us-east-1", "eu-west-1"], "us-east-1\neu-west-1"],
	["map", { "us-east-1": "subnet-1" }, "us-east-1 = subnet-1"],
	["text_or_map", "ami-1", "ami-1"],
	["text_or_map", { "us-east-1": "ami-1" }, "us-east-1 = ami-1"],
	["json", { file: "/t" }, '{"file":"/t"}'],
] as const)("round-trips a setting entered as %s: %j", (input, value, text) => {
	expect(textOf({ input }, value)).toBe(text);
	expect(settingOf({ input }, text)).toEqual(value);
});

it("an empty field is no setting; invalid input is reported", () => {
	expect(settingOf({ input: "lines" }, " \n")).toBeUndefined();
	expect(() => settingOf({ input: "map" }, "us-east-1")).toThrow(/name = value/);
	expect(() => settingOf({ input: "json" }, "{")).toThrow(/invalid JSON/);
});

it("shows invalid fields at their inputs and other errors at none", () => {
	const fields = [
		{ path: "settings.regions.0", message: "must be a region such as us-east-1" },
		{ path: "id", message: "is taken" },
		{ path: "settings.unknown", message: "there is no such field" },
	];
	expect(problemsOf({ data: { problem: { fields } } }, ["settings.regions", "id"])).toEqual({
		"settings.regions": "0: must be a region such as us-east-1",
		id: "is taken",
		"": "settings.unknown: there is no such field",
	});
});
