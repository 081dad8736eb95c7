import { readFile } from "node:fs/promises";
import { expect } from "@playwright/test";
import { dialog, jobLink, main, openScreen, title } from "./places.ts";
import { sleepingJob } from "./task-demo.ts";
import type { Task, Walk } from "./walker.ts";

/** Jobs with this label run on this host's four GPUs. */
const ON_THIS_HOST = { labels: { example: "walk" } };

/** Fills this host, so that the next job for it waits. */
async function makeWaiting({ demo, page }: Walk): Promise<void> {
	const filler = await demo.submit(sleepingJob({ name: "fills-this-host", gpus: 4, ...ON_THIS_HOST }));
	await demo.jobWhen(filler, "runs", ({ state }) => state === "running");
	const waiting = await demo.submitAs(page, sleepingJob({ name: "waits-for-gpus", gpus: 4, ...ON_THIS_HOST }));
	await demo.jobWhen(waiting, "waits", ({ state, reason }) => state === "queued" && reason.code !== "submitted");
}

async function makeEnded({ demo, page }: Walk, name: string, command: string[], outputs: unknown[] = []): Promise<void> {
	const id = await demo.submitAs(page, sleepingJob({ name, command, accelerators: ["A100-80GB"], outputs }));
	await demo.jobWhen(id, "has ended", ({ finishedAt }) => finishedAt !== null);
}

const SUBMITTING: readonly Task[] = [
	{
		title: "Submit a job",
		run: async ({ page }) => {
			await page.getByRole("link", { name: "New job" }).click();
			await page.getByLabel("Name", { exact: true }).fill("submitted-by-form");
			await page.getByLabel("Command").fill("echo hello");
			await page.getByRole("button", { name: /^Submit/ }).click();
			await expect(title(page, "submitted-by-form")).toBeVisible();
		},
	},
	{
		title: "See why a job waits, and what would start it",
		prepare: makeWaiting,
		run: async ({ page }) => {
			await jobLink(page, "waits-for-gpus").click();
			await expect(main(page).getByText("Queue position")).toBeVisible();
			await expect(main(page).getByRole("heading", { name: "Options" })).toBeVisible();
		},
	},
	{
		title: "Hold a queued job, and release it",
		run: async ({ page }) => {
			await openScreen(page, /^Jobs/);
			await jobLink(page, "waits-for-gpus").click();
			await main(page).getByRole("button", { name: "Hold", exact: true }).click();
			await main(page).getByRole("button", { name: "Release", exact: true }).click();
			await expect(main(page).getByText("Queue position")).toBeVisible();
		},
	},
	{
		title: "Move a queued job ahead of others",
		run: async ({ page }) => {
			await openScreen(page, /^Jobs/);
			await page.getByRole("checkbox", { name: "Select waits-for-gpus" }).click();
			await page.getByRole("toolbar").getByRole("button", { name: "Set priority" }).click();
			await page.getByLabel("Priority", { exact: true }).fill("90");
			await dialog(page).getByRole("button", { name: "Set priority" }).click();
			await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();
		},
	},
	{
		title: "Cancel a job",
		run: async ({ page }) => {
			await jobLink(page, "waits-for-gpus").click();
			await page.getByRole("button", { name: "Cancel job" }).click();
			await dialog(page).getByRole("button", { name: "Cancel job" }).click();
			await expect(page.getByRole("status").filter({ hasText: "cancelled" }).first()).toBeVisible();
		},
	},
];

const READING: readonly Task[] = [
	{
		title: "Download a result",
		prepare: (walk) =>
			makeEnded(walk, "has-a-result", ["sh", "-c", "echo 0.93 > accuracy.txt"], [{ name: "accuracy", path: "accuracy.txt" }]),
		run: async ({ page }) => {
			await jobLink(page, "has-a-result").click();
			await page.getByRole("link", { name: "Files", exact: true }).click();
			const [file] = await Promise.all([
				page.waitForEvent("download"),
				page.getByRole("button", { name: "Download accuracy.txt" }).click(),
			]);
			expect(await readFile(await file.path(), "utf8")).toBe("0.93\n");
		},
	},
	{
		title: "Find the failed jobs of this week, and read the last line of one",
		prepare: (walk) => makeEnded(walk, "fails-at-once", ["sh", "-c", "echo no such file; exit 3"]),
		run: async ({ page }) => {
			await openScreen(page, /^Jobs/);
			await page.getByRole("link", { name: "Failed this week" }).click();
			await jobLink(page, "fails-at-once").click();
			await page.getByRole("link", { name: "Logs", exact: true }).click();
			await expect(page.getByRole("log")).toContainText("no such file");
		},
	},
	{
		title: "Retry a failed job",
		run: async ({ page }) => {
			await jobLink(page, "fails-at-once").click();
			await page.getByRole("link", { name: "Retry" }).click();
			await page.getByRole("button", { name: /^Submit/ }).click();
			await expect(title(page, "fails-at-once")).toBeVisible();
		},
	},
	{
		title: "Compare two runs",
		run: async ({ page }) => {
			await jobLink(page, "has-a-result").click();
			await page.getByRole("link", { name: "Compare" }).click();
			await page
				.getByRole("table", { name: "Jobs to compare with" })
				.getByRole("link", { name: /^small-lm/ })
				.first()
				.click();
			await expect(page.getByRole("table", { name: /^has-a-result and small-lm/ })).toContainText("≠");
		},
	},
];

export const SCIENTIST_TASKS: readonly Task[] = [...SUBMITTING, ...READING];
