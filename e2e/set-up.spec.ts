import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, type Page } from "@playwright/test";
import { sql } from "drizzle-orm";
import { KubernetesEmulator } from "#server/emulators/kubernetes/emulator.ts";
import { asInstallation } from "./support/database.ts";
import { bookOf } from "./support/emulator.ts";
import { eventually } from "./support/eventually.ts";
import { expectAccessible } from "./support/look.ts";
import { test } from "./support/people.ts";
import { withAwsEmulator, withScheduler, withWebServer } from "./support/second-server.ts";
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

type Settings = Record<string, string>;

/** A web server over an empty database, with its own emulated cloud and its settings. */
async function withEmptyInstallation(use: (url: string, home: string, settings: Settings) => Promise<void>): Promise<void> {
	const url = new URL(databaseUrl());
	url.pathname = "/spillway_empty";
	const home = mkdtempSync(path.join(os.tmpdir(), "spillway-empty-"));
	const settings = { DATABASE_URL: url.href, SPILLWAY_DEMO: "0", SPILLWAY_HOME: home };
	await asInstallation(({ db }) => db.execute(sql`create database spillway_empty`));
	try {
		const migrated = await run(["server/bin/migrate.ts"], settings);
		expect(migrated.code, migrated.out).toBe(0);
		await withAwsEmulator(home, async (aws) => {
			const all = { ...settings, SPILLWAY_AWS_ENDPOINT: aws };
			await withWebServer(all, (at) => use(at, home, { ...all, SPILLWAY_URL: at }));
		});
	} finally {
		await asInstallation(({ db }) => db.execute(sql`drop database spillway_empty with (force)`));
		rmSync(home, { recursive: true, force: true });
	}
}

async function fillAdministrator(page: Page, code: string): Promise<void> {
	await page.getByLabel("Set-up code").fill(code);
	await page.getByLabel("Email address").fill("ada@example.com");
	await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
	for (const label of ["Password", "Repeat password"]) await page.getByLabel(label, { exact: true }).fill(PASSWORD);
	await page.getByRole("button", { name: "Create administrator" }).press("Enter");
}

const setUpCode = (home: string): string => readFileSync(path.join(home, "setup-code"), "utf8").trim();

test("an empty installation is set up in the browser, and people, teams and tokens need no SQL", async ({ browser }) => {
	await withEmptyInstallation(async (baseURL, home) => {
		const context = await browser.newContext({ baseURL, reducedMotion: "reduce" });
		const page = await context.newPage();
		await page.goto("/");
		await expect(page.getByRole("heading", { level: 1, name: "Set up Spillway" })).toBeVisible();
		await fillAdministrator(page, "WRONG");
		await expect(page.getByText("The set-up code is wrong.")).toBeVisible();
		await expectAccessible(page);
		await fillAdministrator(page, setUpCode(home));

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

/** An emulated Kubernetes with two nodes. */
async function withCluster(folder: string, use: (access: string) => Promise<void>): Promise<void> {
	const rights = readFileSync(path.join(ROOT, "docs/providers/kubernetes-rbac.yaml"), "utf8");
	const nodes = ["gpu-1", "gpu-2"].map((name) => ({ name, gpus: 4, labels: { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" } }));
	const cluster = new KubernetesEmulator({ minor: 34, nodes, namespace: "spillway", roles: rights });
	await cluster.start();
	const tokenFile = path.join(folder, "kubernetes-token");
	writeFileSync(tokenFile, "spillway\n");
	try {
		await use(JSON.stringify({ server: cluster.url, tokenFile }));
	} finally {
		await cluster.stop();
	}
}

const stepOf = (page: Page, title: string) => page.getByRole("region", { name: title });

async function addSite(page: Page, title: string, texts: Record<string, string>): Promise<void> {
	const step = stepOf(page, title);
	for (const [label, text] of Object.entries(texts)) await step.getByLabel(label, { exact: true }).fill(text);
	await step.getByRole("button", { name: "Check" }).click();
	await expect(step.getByText("All checks passed.")).toBeVisible();
	await step.getByRole("button", { name: "Add site" }).click();
	await expect(step).toContainText("Done");
}

async function connectCluster(page: Page, access: string): Promise<void> {
	const step = stepOf(page, "4. Your cluster");
	await step.getByRole("button", { name: "Connect cluster" }).click();
	await step.getByLabel("Type").selectOption({ label: "Kubernetes" });
	await addSite(page, "4. Your cluster", {
		...{ ID: "gpu-cluster", Name: "GPU cluster", Access: access, Namespace: "spillway" },
		"Accelerators (optional)": "NVIDIA-H100-80GB-HBM3 = H100-80GB",
	});
	await step.getByLabel(/GPU-hour of/).fill("1.90");
	await step.getByRole("button", { name: "Use pool" }).click();
	await expect(step.getByRole("button", { name: "Use pool" })).toBeHidden();
}

async function connectCloud(page: Page): Promise<void> {
	const step = stepOf(page, "5. Cloud account");
	await step.getByRole("button", { name: "Connect cloud" }).click();
	await addSite(page, "5. Cloud account", {
		...{ ID: "aws", Name: "AWS", Regions: "us-east-1", "Machine image": "ami-0123456789abcdef0" },
		...{ "Access key id": "AKIAEMULATED", "Secret access key": "any" },
	});
}

async function addStore(page: Page, folder: string): Promise<void> {
	mkdirSync(folder);
	const step = stepOf(page, "6. Results and checkpoints");
	await step.getByRole("button", { name: "Add store" }).click();
	const dialog = page.getByRole("dialog");
	await dialog.getByLabel("Kind").selectOption({ label: "Mounted folder" });
	await dialog.getByLabel("Name", { exact: true }).fill("results");
	await dialog.getByLabel("Folder", { exact: true }).fill(folder);
	await dialog.getByRole("button", { name: "Check and add" }).click();
	await expect(step).toContainText("Done");
}

/** Runs a test job of the set-up. @returns its id */
async function runTest(page: Page, where: "At home" | "In the cloud"): Promise<string> {
	const part = stepOf(page, "8. Test job").getByRole("region", { name: where });
	await part.getByRole("button", { name: "Run test" }).click();
	const link = part.getByRole("link", { name: "Open job" });
	await expect(link).toBeVisible();
	const id = (await link.getAttribute("href"))?.split("/").at(-1);
	if (id === undefined) throw new Error("the link has no job");
	return id;
}

test("an empty installation connects a cluster, a cloud and a store, and runs a job at home and one in the cloud", async ({ browser }) => {
	await withEmptyInstallation((baseURL, home, settings) =>
		withScheduler(settings, () =>
			withCluster(home, async (access) => {
				const context = await browser.newContext({ baseURL, reducedMotion: "reduce" });
				const page = await context.newPage();
				const startedMs = Date.now();
				await page.goto("/");
				await fillAdministrator(page, setUpCode(home));
				await page.getByLabel("Time zone").fill("Europe/Berlin");
				await stepOf(page, "2. Company").getByRole("button", { name: "Save" }).click();
				await stepOf(page, "3. First team").getByLabel("Name", { exact: true }).fill("research");
				await stepOf(page, "3. First team").getByRole("button", { name: "Add team" }).click();
				await expect(stepOf(page, "3. First team")).toContainText("Done");
				await connectCluster(page, access);
				await connectCloud(page);
				await addStore(page, path.join(home, "store"));
				await page.getByRole("button", { name: "Show policy" }).click();
				await page.getByRole("button", { name: "Publish" }).click();
				await expect(stepOf(page, "7. First policy")).toContainText("Done");
				await runTest(page, "At home");
				const job = await runTest(page, "In the cloud");
				await expect(stepOf(page, "8. Test job")).toContainText("Succeeded");
				const machines = await eventually(
					"the machine of the test is released",
					async () => (await bookOf("aws", settings["SPILLWAY_AWS_ENDPOINT"])).filter(({ jobId }) => jobId === job),
					(mine) => mine.length > 0 && mine.every(({ state }) => state === "terminated"),
				);
				console.log(`First burst, machine released: ${((Date.now() - startedMs) / 60_000).toFixed(1)} minutes after the first page.`);
				expect(machines).toHaveLength(1);
				await page.goto(`/jobs/${job}`);
				await expect(page.getByText("succeeded").first()).toBeVisible();
				await context.close();
			}),
		),
	);
});
