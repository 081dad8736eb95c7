import { expect, type Page } from "@playwright/test";
import { expectWhole } from "./support/look.ts";
import { open, test } from "./support/people.ts";
import { makeQuiet } from "./support/rest.ts";
import { spillway } from "./support/system.ts";

test.beforeAll(makeQuiet);

async function submit(file: string): Promise<void> {
	const { exitCode, stdout, stderr } = await spillway("pipeline", "submit", "-f", `examples/pipelines/${file}`, "--wait");
	expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
}

/** Opens an entry of a list of pipelines or sweeps by its name. */
async function openEntry(page: Page, path: string, list: string, name: string): Promise<void> {
	await open(page, path, list);
	const row = page.getByRole("table", { name: list }).getByRole("row", { name: new RegExp(`^${name} succeeded`) });
	await expect(row).toHaveCount(1);
	await row.getByRole("link", { name }).click();
	await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
}

test("the example pipeline is one row, and its page shows the graph and a receipt for each step", async ({ page }) => {
	await submit("languages.yaml");
	await openEntry(page, "/pipelines", "Pipelines", "languages");
	const graph = page.getByRole("region", { name: "Graph of the steps" }).getByRole("listitem");
	await expect(graph).toHaveText([/^prepare.*succeeded/i, /^train.*3\/3/, /^evaluate.*succeeded/i, /^bring-home.*succeeded/i]);
	const receipt = page.getByRole("table", { name: "Receipt by step" }).getByRole("row");
	await expect(receipt).toHaveCount(6);
	await expect(receipt.last()).toContainText("6 of 6");
	await expectWhole(page, "light");
});

test("the example sweep is one row, and its page shows the trials with the best one first", async ({ page }) => {
	await submit("sweep.yaml");
	await openEntry(page, "/sweeps", "Sweeps", "rates");
	await expect(page.getByRole("img", { name: /^loss of \d+ trials against rate$/ })).toBeVisible();
	const trials = page.getByRole("table", { name: "Trials" }).getByRole("row");
	await expect(page.getByText("best 50 of 200")).toBeVisible();
	await expect(trials).toHaveCount(51);
	await expect(trials.nth(1)).toContainText(/succeeded|stopped/);
	await expect(trials.last()).toContainText("not started");
	await expectWhole(page, "light");
});
