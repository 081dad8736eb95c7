import { randomUUID } from "node:crypto";
import { expect, type Locator, type Page } from "@playwright/test";
import { expectAccessible } from "./support/look.ts";
import { open, test } from "./support/people.ts";
import { isOver, jobWhen, makeQuiet } from "./support/rest.ts";

const TABS_MAX = 120;
const HOME_GPUS = 4;

const FILE = (gpus: number) => `apiVersion: spillway/v1
kind: Job
metadata:
  name: by-hand
  team: vision
spec:
  class: experimental
  command: ["true"]
  resources: { gpus: ${gpus} }
  duration: { estimate: 3m, max: 10m }
`;

test.beforeAll(makeQuiet);
test.beforeEach(async ({ page }) => {
	await open(page, "/jobs/new", "New job");
	await expect(yamlOf(page)).toBeVisible();
});

const yamlOf = (page: Page): Locator => page.getByRole("textbox", { name: "Job YAML" });
const problemsOf = (page: Page): Locator => page.getByRole("list", { name: "Job file problems" });
const submitOf = (page: Page): Locator => page.getByRole("button", { name: /^Submit/ });

test("the form edits the YAML, and the YAML the form", async ({ page }) => {
	await page.getByLabel("Name", { exact: true }).fill("by-form");
	await page.getByLabel("Priority").fill("77");
	await expect(yamlOf(page)).toContainText("name: by-form");
	await expect(yamlOf(page)).toContainText("priority: 77");

	await yamlOf(page).fill(FILE(2));
	await expect(page.getByLabel("Name", { exact: true })).toHaveValue("by-hand");
	await expect(page.getByLabel("Team")).toHaveValue("vision");
	await expect(page.getByLabel("Class")).toHaveValue("experimental");
	await expect(page.getByLabel("Estimated run time")).toHaveValue("3m");
	await expect(page.getByRole("radio", { name: "2", exact: true })).toBeChecked();
	await expect(page.getByLabel("Priority")).toHaveValue("");
	await expect(problemsOf(page)).toHaveCount(0);
});

test("a job file from the disk replaces the form, and one that is too large does not", async ({ page }) => {
	const file = (name: string, text: string) => ({ name, mimeType: "application/yaml", buffer: Buffer.from(text) });
	await expect(page.getByRole("button", { name: "Open file" })).toBeVisible();
	const input = page.getByLabel("Job file", { exact: true });
	await input.setInputFiles(file("job.yaml", FILE(2)));
	await expect(page.getByLabel("Name", { exact: true })).toHaveValue("by-hand");
	await expect(page.getByRole("radio", { name: "2", exact: true })).toBeChecked();
	await input.setInputFiles(file("model.bin", "x".repeat(1024 * 1024 + 1)));
	await expect(page.getByText("model.bin has more than 1 MiB. Choose a job file.")).toBeVisible();
	await expect(page.getByLabel("Name", { exact: true })).toHaveValue("by-hand");
});

test("problems show line, column, field, value and allowed values", async ({ page }) => {
	await yamlOf(page).fill(FILE(-1).replace("3m", "6 parsecs"));
	await expect(problemsOf(page).getByText("spec.resources.gpus")).toBeVisible();
	await expect(problemsOf(page)).toContainText(/9:2\d/);
	await expect(problemsOf(page)).toContainText(/10:\d+ spec\.duration\.estimate "6 parsecs" is not a duration. Use for example 90s/);
	await expect(page.getByLabel("Estimated run time")).toHaveAttribute("aria-invalid", "true");
	await expect(page.getByLabel("Estimated run time")).toHaveAccessibleDescription(/"6 parsecs" is not a duration/);
	await expect(submitOf(page)).toBeDisabled();

	await yamlOf(page).fill(`${FILE(1)}  colour: red\n`);
	await expect(problemsOf(page)).toContainText(/11:\d+/);
	await expect(problemsOf(page)).toContainText("colour");
	await yamlOf(page).fill(FILE(1).replace("kind: Job", "kind: [Job"));
	await expect(page.getByText(/Invalid YAML at line \d+/)).toBeVisible();
	await yamlOf(page).fill(FILE(1));
	await expect(submitOf(page)).toBeEnabled();
});

test("the quote follows edits", async ({ page }) => {
	await yamlOf(page).fill(FILE(1));
	await expect(page.getByRole("status").filter({ hasText: "Starts on owned GPUs now" })).toBeVisible();
	await expect(submitOf(page)).toHaveText("Submit: starts on owned GPUs now");
	await yamlOf(page).fill(FILE(2 * HOME_GPUS));
	await expect(page.getByRole("status").filter({ hasText: /^Bursts now, about \$\d/ })).toBeVisible();
	await expect(page.getByText("burst-on-wait").first()).toBeVisible();
	await page.getByLabel("Class").selectOption("sensitive");
	await expect(page.getByRole("status").filter({ hasText: "No candidate can run this job" })).toBeVisible();
});

test("a job can be submitted by keyboard alone, and its page opens", async ({ page }) => {
	const name = `by-keyboard-${randomUUID().slice(0, 8)}`;
	await type(page, page.getByLabel("Name", { exact: true }), name);
	await type(page, page.getByLabel("Command"), "echo 'hello there'");
	await expect(yamlOf(page)).toContainText("hello there");
	await tabTo(page, submitOf(page));
	await expect(submitOf(page)).toBeEnabled();
	await page.keyboard.press("Enter");
	await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
	const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
	expect(await jobWhen(id, "has ended", isOver)).toMatchObject({ name, state: "succeeded" });
	await page.getByRole("link", { name: "Logs", exact: true }).press("Enter");
	await expect(page.getByRole("log")).toContainText("hello there");
});

async function type(page: Page, field: Locator, text: string): Promise<void> {
	await tabTo(page, field);
	await page.keyboard.press("ControlOrMeta+a");
	await page.keyboard.type(text);
}

/** Presses Tab until the target has focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
	for (let tabs = 0; tabs < TABS_MAX; tabs++) {
		if (await target.evaluate((element) => element === document.activeElement)) return;
		await page.keyboard.press("Tab");
	}
	throw new Error(`${TABS_MAX} tabs did not lead to ${target}`);
}

test("a pasted batch script is converted, and its report is stored with the job, with or without the form", async ({ page }) => {
	await open(page, "/jobs/new?tab=paste", "New job");
	const script = [
		"#!/bin/bash",
		"#SBATCH -J pasted --account=vision",
		"#SBATCH --gres=gpu:1",
		"#SBATCH --dependency=afterok:7",
		"true",
		"",
	];
	const paste = () => page.getByRole("textbox", { name: "Batch script or manifest" }).fill(script.join("\n"));
	await paste();
	await expect(page.getByText("After afterok:7")).toBeVisible();
	await expect(page.getByText("Name pasted")).toBeVisible();
	const submit = page.getByRole("button", { name: "Answer 1 question to submit" });
	await expect(submit).toBeDisabled();
	await page.getByRole("checkbox", { name: "Keep as is" }).check();
	await expect(page.getByRole("button", { name: "Submit", exact: true })).toBeEnabled();
	await page.getByRole("button", { name: "Open in form" }).click();
	await expect(page.getByLabel("Name", { exact: true })).toHaveValue("pasted");
	await expect(page.getByLabel("Team")).toHaveValue("vision");
	await expect(submitOf(page)).toBeEnabled();
	await submitOf(page).click();
	const kept = page.locator("section").filter({ has: page.getByRole("heading", { name: "Script conversion" }) });
	const isKept = async () => {
		await expect(page.getByRole("heading", { level: 1, name: "pasted" })).toBeVisible();
		await page.getByRole("link", { name: "Files", exact: true }).click();
		await expect(kept).toContainText("converted from sbatch script");
		await expect(kept).toContainText("After afterok:7");
		await expect(kept).not.toContainText("was edited after conversion");
		await expect(kept).not.toContainText("Name pasted");
	};
	await isKept();
	await kept.getByRole("button", { name: /^Show \d unchanged$/ }).press("Enter");
	await expect(kept).toContainText("Name pasted");
	await kept.evaluate((element) => element.setAttribute("data-scanned", ""));
	await expectAccessible(page, "[data-scanned]");

	await open(page, "/jobs/new?tab=paste", "New job");
	await paste();
	await page.getByRole("checkbox", { name: "Keep as is" }).check();
	await page.getByRole("button", { name: "Submit", exact: true }).click();
	await isKept();
});
