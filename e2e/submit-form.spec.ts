import { randomUUID } from "node:crypto";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";
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

const yamlOf = (page: Page): Locator => page.getByRole("textbox", { name: "Job as YAML" });
const problemsOf = (page: Page): Locator => page.getByRole("list", { name: "Problems of the file" });
const submitOf = (page: Page): Locator => page.getByRole("button", { name: /^Submit/ });

test("the form changes the YAML, and the YAML the form", async ({ page }) => {
	await page.getByLabel("Name", { exact: true }).fill("by-form");
	await page.getByLabel("Priority").fill("77");
	await expect(yamlOf(page)).toContainText("name: by-form");
	await expect(yamlOf(page)).toContainText("priority: 77");

	await yamlOf(page).fill(FILE(2));
	await expect(page.getByLabel("Name", { exact: true })).toHaveValue("by-hand");
	await expect(page.getByLabel("Team")).toHaveValue("vision");
	await expect(page.getByLabel("Class")).toHaveValue("experimental");
	await expect(page.getByLabel("Expected run time")).toHaveValue("3m");
	await expect(page.getByRole("radio", { name: "2", exact: true })).toBeChecked();
	await expect(page.getByLabel("Priority")).toHaveValue("");
	await expect(problemsOf(page)).toHaveCount(0);
});

test("what is wrong is told at its line and column, with the field, the value and what is allowed", async ({ page }) => {
	await yamlOf(page).fill(FILE(-1).replace("3m", "6 parsecs"));
	await expect(problemsOf(page).getByText("spec.resources.gpus")).toBeVisible();
	await expect(problemsOf(page)).toContainText(/9:2\d/);
	await expect(problemsOf(page)).toContainText(
		/10:\d+ spec\.duration\.estimate "6 parsecs" is not a length of time; write for example 90s/,
	);
	await expect(page.getByLabel("Expected run time")).toHaveAttribute("aria-invalid", "true");
	await expect(page.getByLabel("Expected run time")).toHaveAccessibleDescription(/"6 parsecs" is not a length of time/);
	await expect(submitOf(page)).toBeDisabled();

	await yamlOf(page).fill(`${FILE(1)}  colour: red\n`);
	await expect(problemsOf(page)).toContainText(/11:\d+/);
	await expect(problemsOf(page)).toContainText("colour");
	await yamlOf(page).fill(FILE(1).replace("kind: Job", "kind: [Job"));
	await expect(page.getByText(/The YAML cannot be read at line \d+/)).toBeVisible();
	await yamlOf(page).fill(FILE(1));
	await expect(submitOf(page)).toBeEnabled();
});

test("the quote follows what is typed", async ({ page }) => {
	await yamlOf(page).fill(FILE(1));
	await expect(page.getByRole("status").filter({ hasText: "Start at home now" })).toBeVisible();
	await expect(submitOf(page)).toHaveText("Submit: start at home now");
	await yamlOf(page).fill(FILE(2 * HOME_GPUS));
	await expect(page.getByRole("status").filter({ hasText: /^Burst now, for about \$\d/ })).toBeVisible();
	await expect(page.getByText("burst-on-wait").first()).toBeVisible();
	await page.getByLabel("Class").selectOption("sensitive");
	await expect(page.getByRole("status").filter({ hasText: "No place can run this" })).toBeVisible();
});

test("a job is submitted by the keyboard alone, and its page opens", async ({ page }) => {
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
	await expect(page.getByRole("log")).toContainText("hello there");
});

async function type(page: Page, field: Locator, text: string): Promise<void> {
	await tabTo(page, field);
	await page.keyboard.press("ControlOrMeta+a");
	await page.keyboard.type(text);
}

/** Goes on by Tab until the focus is there, as a person without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
	for (let tabs = 0; tabs < TABS_MAX; tabs++) {
		if (await target.evaluate((element) => element === document.activeElement)) return;
		await page.keyboard.press("Tab");
	}
	throw new Error(`${TABS_MAX} tabs did not lead to ${target}`);
}

test("a batch script is pasted, its questions are answered, and what was carried over stays with the job, opened in the form or not", async ({
	page,
}) => {
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
	await page.getByRole("checkbox", { name: "Leave it so" }).check();
	await expect(page.getByRole("button", { name: "Submit", exact: true })).toBeEnabled();
	await page.getByRole("button", { name: "Open in the form" }).click();
	await expect(page.getByLabel("Name", { exact: true })).toHaveValue("pasted");
	await expect(page.getByLabel("Team")).toHaveValue("vision");
	await expect(submitOf(page)).toBeEnabled();
	await submitOf(page).click();
	const kept = page.locator("section").filter({ has: page.getByRole("heading", { name: "What was carried over" }) });
	const isKept = async () => {
		await expect(page.getByRole("heading", { level: 1, name: "pasted" })).toBeVisible();
		await expect(kept).toContainText("read from an sbatch script");
		await expect(kept).toContainText("After afterok:7");
		await expect(kept).not.toContainText("was changed after");
		await expect(kept).not.toContainText("Name pasted");
	};
	await isKept();
	await kept.getByRole("button", { name: /^Show \d carried as written$/ }).press("Enter");
	await expect(kept).toContainText("Name pasted");
	await kept.evaluate((element) => element.setAttribute("data-scanned", ""));
	expect(
		(await new AxeBuilder({ page }).include("[data-scanned]").withTags(["wcag2a", "wcag2aa", "wcag22aa"]).analyze()).violations,
	).toEqual([]);

	await open(page, "/jobs/new?tab=paste", "New job");
	await paste();
	await page.getByRole("checkbox", { name: "Leave it so" }).check();
	await page.getByRole("button", { name: "Submit", exact: true }).click();
	await isKept();
});
