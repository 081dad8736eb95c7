import { globSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { permissionsOf } from "#server/domain/custom-role.ts";
import { SCREENS, SETTINGS_PAGES } from "../navigation.ts";
import { SETTING_COMMANDS, screenCommands, subpageCommands } from "./local-commands.ts";
import { rankCommands } from "./rank-commands.ts";

const PLATFORM = permissionsOf({ role: "platform" });
const hrefsOf = (commands: ReturnType<typeof screenCommands>) => commands.flatMap(({ act }) => (act.kind === "open" ? [act.href] : []));
const PALETTE = new Set(hrefsOf([...screenCommands(PLATFORM), ...subpageCommands(PLATFORM), ...SETTING_COMMANDS]));
const first = (text: string) => rankCommands(text, { permissions: PLATFORM, teams: [], nowMs: 0, entities: [] })[0];

describe("the command bar", () => {
	it("opens every page of the console that has a fixed address", () => {
		const pages = globSync("app/(console)/**/page.tsx")
			.map((file) => `/${file.replaceAll("\\", "/").slice("app/(console)/".length, -"page.tsx".length).replace(/\/$/, "")}`)
			.filter((path) => !path.includes("["));
		expect(pages.length).toBeGreaterThan(20);
		// /settings redirects to its first page. A comparison needs two jobs.
		const missing = pages.filter((path) => !PALETTE.has(path) && path !== "/settings" && path !== "/jobs/compare");
		expect(missing).toEqual([]);
	});

	it("finds every page of the navigation by its name, and those of Settings with that word", () => {
		for (const { label, href } of [...SCREENS, ...SETTINGS_PAGES]) expect(first(label)?.act).toEqual({ kind: "open", href });
		for (const { label, href } of SETTINGS_PAGES) expect(first(`settings ${label}`)?.act).toEqual({ kind: "open", href });
	});

	it("offers only pages that the person can open", () => {
		expect(hrefsOf(subpageCommands(permissionsOf({ role: "finance" })))).not.toContain("/settings/sites/new");
		expect(hrefsOf(subpageCommands(PLATFORM))).toContain("/settings/sites/new");
	});
});
