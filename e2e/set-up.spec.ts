import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "@playwright/test";
import { sql } from "drizzle-orm";
import { asInstallation } from "./support/database.ts";
import { expectAccessible } from "./support/look.ts";
import { test } from "./support/people.ts";
import { withWebServer } from "./support/second-server.ts";
import { databaseUrl, ROOT } from "./support/system.ts";

const PASSWORD = "a long enough password";

test.use({ person: null });

/** Runs a program of the clone to its end. */
function run(args: string[], env: Record<string, string>): Promise<{ code: number | null; out: string }> {
	const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
	let out = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (chunk) => {
			out += chunk;
		});
	return new Promise((resolve) => child.on("close", (code) => resolve({ code, out })));
}

/** A web server over an empty database. */
async function withEmptyInstallation(use: (url: string, home: string) => Promise<void>): Promise<void> {
	const url = new URL(databaseUrl());
	url.pathname = "/spillway_empty";
	const home = mkdtempSync(path.join(os.tmpdir(), "spillway-empty-"));
	const settings = { DATABASE_URL: url.href, SPILLWAY_DEMO: "0", SPILLWAY_HOME: home };
	await asInstallation(({ db }) => db.execute(sql`create database spillway_empty`));
	try {
		const migrated = await run(["server/bin/migrate.ts"], settings);
		expect(migrated.code, migrated.out).toBe(0);
		await withWebServer(settings, (at) => use(at, home));
	} finally {
		await asInstallation(({ db }) => db.execute(sql`drop database spillway_empty with (force)`));
		rmSync(home, { recursive: true, force: true });
	}
}

test("an empty installation is set up in the browser, and people, teams and tokens need no SQL", async ({ browser }) => {
	await withEmptyInstallation(async (baseURL, home) => {
		const context = await browser.newContext({ baseURL, reducedMotion: "reduce" });
		const page = await context.newPage();
		await page.goto("/");
		await expect(page.getByRole("heading", { level: 1, name: "Set up Spillway" })).toBeVisible();
		const fill = async (code: string) => {
			await page.getByLabel("Set-up code").fill(code);
			await page.getByLabel("Email address").fill("ada@example.com");
			await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
			for (const label of ["Password", "Repeat password"]) await page.getByLabel(label, { exact: true }).fill(PASSWORD);
			await page.getByRole("button", { name: "Create administrator" }).press("Enter");
		};
		await fill("WRONG");
		await expect(page.getByText("The set-up code is wrong.")).toBeVisible();
		await expectAccessible(page);
		await fill(readFileSync(path.join(home, "setup-code"), "utf8").trim());

		await page.getByLabel("Time zone").fill("Europe/Berlin");
		await page.getByRole("button", { name: "Save" }).press("Enter");
		await expect(page.getByText("US dollars, Europe/Berlin")).toBeVisible();
		await page.getByRole("region", { name: "3. First team" }).getByRole("button", { name: "Skip" }).click();
		await expect(page.getByRole("region", { name: "3. First team" })).toContainText("Skipped");
		for (const title of ["4. Your cluster", "5. Cloud account", "6. Results and checkpoints"]) {
			await page.getByRole("region", { name: title }).getByRole("button", { name: "Skip" }).click();
			await expect(page.getByRole("region", { name: title })).toContainText("Skipped");
		}
		await page.getByRole("region", { name: "4. Your cluster" }).getByRole("button", { name: "Connect cluster" }).click();
		await expect(page.getByRole("region", { name: "4. Your cluster" }).getByLabel("Type")).toContainText("Slurm");
		await page.getByRole("button", { name: "Show policy" }).click();
		await expect(page.getByRole("region", { name: "Policy document" })).toContainText("capUsd: 5000");
		await expectAccessible(page);
		await page.getByRole("button", { name: "Publish" }).click();
		await expect(page.getByRole("region", { name: "7. First policy" })).toContainText("Done");

		await page.goto("/settings/teams");
		await page.getByRole("button", { name: "Add team" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
		await expect(page.getByRole("dialog")).toContainText("Use 1 to 63 letters");
		await page.getByLabel("Name", { exact: true }).fill("research");
		await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
		await expect(page.getByRole("table", { name: "Teams" })).toContainText("research");
		await expectAccessible(page);

		await page.goto("/setup");
		await page.getByRole("region", { name: "3. First team" }).getByRole("button", { name: "Map group" }).click();
		await page.getByRole("dialog").getByLabel("Group").fill("ml-engineers");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await expect(page.getByRole("list", { name: "Mapped groups" })).toHaveText("ml-engineers → research");

		await page.goto("/settings/people");
		await page.getByRole("button", { name: "Add service account" }).click();
		await page.getByRole("dialog").getByLabel("Email address").fill("ci@example.com");
		await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("CI");
		await page.getByRole("dialog").getByLabel("research").check();
		await expectAccessible(page);
		await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
		await expect(page.getByRole("table", { name: "Service accounts" })).toContainText("ci@example.com");
		await page.getByRole("button", { name: "Edit Ada Lovelace" }).click();
		await page.getByRole("dialog").getByLabel("Role").selectOption("finance");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await expect(page.getByRole("dialog").getByRole("alert")).toContainText("This is the last administrator who can sign in.");
		await page.keyboard.press("Escape");

		await page.goto("/settings/tokens");
		await page.getByRole("button", { name: "Create token" }).click();
		await page.getByLabel("Name", { exact: true }).fill("ci");
		await page.getByLabel("Owner").selectOption({ label: "CI (service account)" });
		await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
		const token = await page.getByRole("dialog").getByLabel("Token", { exact: true }).inputValue();
		await page.getByRole("button", { name: "I saved it" }).click();
		expect((await run(["cli/spillway.mjs", "jobs"], { SPILLWAY_URL: baseURL, SPILLWAY_TOKEN: token })).code).toBe(0);
		await expectAccessible(page);
		await context.close();
	});
});
