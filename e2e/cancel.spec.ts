import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { bookedInstances, bootSlowly, clearFaults } from "./support/emulator.ts";
import { eventually } from "./support/eventually.ts";
import { open, test } from "./support/people.ts";
import { aJob, jobWhen, makeQuiet, rest } from "./support/rest.ts";
import { focusFirstRow } from "./support/rows.ts";

const SLOTS = 4;
const run = randomUUID().slice(0, 8);
const running: string[] = [];

test.describe.configure({ mode: "serial" });

test.beforeAll(async () => {
	await makeQuiet();
	// Sensitive jobs never leave home: four of them fill it for as long as the tests need.
	const documents = Array.from({ length: SLOTS }, (_, i) =>
		aJob({ name: `running-${i + 1}-${run}`, class: "sensitive", command: ["sleep", "300"], estimate: "300s" }),
	);
	running.push(...(await rest.submitAll(documents)));
	for (const id of running) await jobWhen(id, "runs", ({ state }) => state === "running");
});
test.afterAll(async () => {
	await clearFaults();
	await makeQuiet();
});

test("a job that is queued is cancelled at once", async ({ page }) => {
	const name = `queued-${run}`;
	const id = await rest.submit(aJob({ name, class: "sensitive", estimate: "300s" }));
	await jobWhen(id, "waits for home", ({ state, reason }) => state === "queued" && reason.code === "waiting_for_home");
	await cancelOnItsPage(page, id);
	await expectCancelled(page, id, []);
});

test("the priority of queued jobs is set from the list and undone", async ({ page }) => {
	const name = `urgent-${run}`;
	const id = await rest.submit(aJob({ name, class: "sensitive", estimate: "300s" }));
	await open(page, `/jobs?view=all&q=${name}`, "Jobs");
	await focusFirstRow(page);
	await page.keyboard.press("x");
	await page.getByRole("toolbar").getByRole("button", { name: "Set priority" }).click();
	await page.getByLabel("Priority", { exact: true }).fill("80");
	await page.keyboard.press("Enter");
	await jobWhen(id, "has the new priority", ({ priority }) => priority === 80);
	await page.getByRole("button", { name: "Undo" }).click();
	await jobWhen(id, "has its priority again", ({ priority }) => priority === 50);
	await rest.cancel(id);
});

test("a job with a machine that is still starting is cancelled, and the machine is released", async ({ page }) => {
	await bootSlowly(120_000);
	const id = await rest.submit(aJob({ name: `starting-${run}`, estimate: "300s" }));
	await jobWhen(id, "starts in the cloud", ({ state, attemptList }) => state === "admitted" && attemptList[0]?.state === "starting");
	const itsMachines = async () => (await bookedInstances()).filter(({ jobId }) => jobId === id);
	await eventually("its machine is asked for", itsMachines, (machines) => machines.length === 1);
	await cancelOnItsPage(page, id);
	await expectCancelled(page, id, ["cancelled"]);
	await eventually("its machine is terminated", itsMachines, ([machine]) => machine?.state === "terminated");
});

test("a running job is stopped and ends as cancelled", async ({ page }) => {
	const [id = ""] = running;
	await cancelOnItsPage(page, id);
	await expectCancelled(page, id, ["cancelled"]);
});

test("the rest is cancelled together from the list", async ({ page }) => {
	const rest3 = running.slice(1);
	await open(page, `/jobs?q=${run}&state=running`, "Jobs");
	await expect(page.getByRole("link", { name: `-${run}` })).toHaveCount(rest3.length);
	// By keyboard alone: the first row, then down to the last with Shift.
	await focusFirstRow(page);
	await page.keyboard.press("x");
	for (let i = 1; i < rest3.length; i++) await page.keyboard.press("Shift+J");
	await expect(page.getByRole("toolbar")).toContainText(`${rest3.length} selected`);
	await page.keyboard.press("Escape");
	await expect(page.getByRole("toolbar")).toHaveCount(0);
	await page.getByRole("checkbox", { name: "Select all" }).click();
	await page
		.getByRole("toolbar")
		.getByRole("button", { name: `Cancel ${rest3.length} jobs` })
		.click();
	const dialog = page.getByRole("dialog", { name: `Cancel ${rest3.length} jobs?` });
	await dialog.getByRole("button", { name: `Cancel ${rest3.length} jobs` }).click();
	await expect(dialog).toBeHidden();
	await expect(page.getByText(`${rest3.length} jobs cancelled`)).toBeVisible();
	for (const id of rest3) {
		const job = await jobWhen(id, "is cancelled", ({ state }) => state === "cancelled");
		expect(job.reason).toMatchObject({ code: "cancelled_by_person" });
	}
	await open(page, `/jobs?q=${run}&state=cancelled`, "Jobs");
	const rows = page.getByRole("row").filter({ hasText: `running-` });
	await expect(rows).toHaveCount(SLOTS);
	for (const row of await rows.all()) await expect(row).toContainText("Cancelled by Pia Platform");
});

async function cancelOnItsPage(page: Page, id: string): Promise<void> {
	await page.goto(`/jobs/${id}`);
	await page.getByRole("main").getByRole("button", { name: "Cancel job" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Cancel job" }).click();
}

/** One consistent end: in the API with its code, and on the page in words. */
async function expectCancelled(page: Page, id: string, attempts: readonly string[]): Promise<void> {
	const job = await jobWhen(id, "is cancelled", ({ state }) => state === "cancelled");
	expect(job.reason).toMatchObject({ code: "cancelled_by_person", message: "Cancelled by Pia Platform." });
	expect(job.attemptList.map(({ state }) => state)).toEqual(attempts);
	expect(job.finishedAt).not.toBeNull();
	await expect(page.getByRole("main")).toContainText("Cancelled by Pia Platform");
}
