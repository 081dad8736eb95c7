import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import { and, eq } from "drizzle-orm";
import { clusterNode } from "#server/db/schema/cluster-node.ts";
import { foreignJob } from "#server/db/schema/foreign-job.ts";
import { site } from "#server/db/schema/site.ts";
import type { ClusterNode } from "#server/domain/cluster-node.ts";
import type { ForeignJob } from "#server/domain/foreign-job.ts";
import { newNodeMemory, writeNodes } from "#server/services/capacity/cluster-node/write.ts";
import { newQueueMemory, writeForeignJobs } from "#server/services/capacity/foreign-job/write.ts";
import { asInstallation } from "./support/database.ts";
import { expectAccessible, expectNoSidewaysScroll } from "./support/look.ts";
import { open, test } from "./support/people.ts";
import { HOME } from "./support/system.ts";

const SITE = "hpc";

test.use({ person: "platform" });
test.describe.configure({ mode: "serial" });

/** A Slurm site that the scheduler does not open, because it is disabled: this test writes its state. */
test.beforeAll(() =>
	asInstallation(async ({ db }) => {
		await db.insert(site).values({ id: SITE, name: "The cluster", provider: "slurm", settings: {}, enabled: false, healthy: true });
	}),
);
test.afterAll(() =>
	asInstallation(async ({ db }) => {
		await db.delete(foreignJob).where(eq(foreignJob.siteId, SITE));
		await db.delete(clusterNode).where(eq(clusterNode.siteId, SITE));
		await db.update(site).set({ removedAt: new Date() }).where(eq(site.id, SITE));
	}),
);

const theirJob = (n: number): ForeignJob => ({
	...{ id: String(4_000 + n), name: `theirs-${n}`, user: n % 2 === 0 ? "alice" : "bob", partition: "gpu", poolId: null, nodes: 1, gpus: 8 },
	...(n < 2
		? { state: "running", waitingReason: null, position: null, startedAtMs: Date.now() - 600_000 }
		: { state: "waiting", waitingReason: n === 2 ? "Resources" : "Priority", position: n - 2, startedAtMs: null }),
	...{ slots: [], submittedAtMs: Date.now() - 3_600_000, timeLimitMs: null, optIn: null, holdMark: null },
	...{ array: null, groupId: null, dependsOn: null },
});

function seen(jobs: readonly ForeignJob[]): Promise<void> {
	return asInstallation(({ db }) => writeForeignJobs(db, { siteId: SITE, jobs, atMs: Date.now() }, newQueueMemory()));
}

const queueOf = (page: Page) => page.locator("section").filter({ has: page.getByRole("heading", { name: "Queue of The cluster" }) });
const nodesOf = (page: Page) => page.locator("section").filter({ has: page.getByRole("heading", { name: "Nodes of The cluster" }) });

/** Only one panel: the others are tested elsewhere, and scanning a whole screen takes seconds. */
async function expectPanelAccessible(page: Page, panel: Locator, themes: readonly ("light" | "dark")[] = ["light"]): Promise<void> {
	await panel.evaluate((element) => element.setAttribute("data-scanned", ""));
	for (const colorScheme of themes) {
		await page.emulateMedia({ colorScheme });
		await expectAccessible(page, "[data-scanned]");
	}
}

test("a cluster's queue that was not read, then is empty, says which of the two it is", async ({ page }) => {
	await open(page, "/sites", "Capacity");
	await expect(queueOf(page)).toContainText("The queue appears once the cluster responds");
	await expect(nodesOf(page)).toContainText("No nodes seen yet");
	await seen([]);
	await page.reload();
	await expect(queueOf(page)).toContainText("No other jobs");
	await expect(queueOf(page)).toContainText("count in forecasts");
	await expect(queueOf(page).getByRole("button", { name: /CSV/ })).toHaveCount(0);
	await expectPanelAccessible(page, queueOf(page));
});

test("jobs of others are listed as the cluster has them, live, in pages, and as a file", async ({ page }) => {
	await open(page, "/sites", "Capacity");
	await expect(queueOf(page)).toContainText("No other jobs");
	// Updated while the page is open.
	await seen(Array.from({ length: 70 }, (_, n) => theirJob(n)));
	const rows = queueOf(page).locator("tbody tr");
	await expect(rows).toHaveCount(15);
	await expect(rows.nth(0)).toContainText("theirs-0");
	await expect(rows.nth(0)).toContainText("running");
	await expect(rows.nth(2)).toContainText(/theirs-2.*alice gpu.*8.*waiting Resources/);
	await expect(rows.nth(3)).toContainText("not opted in");
	await queueOf(page).getByRole("button", { name: "Show 50 more of 55" }).press("Enter");
	await expect(rows).toHaveCount(65);
	await queueOf(page).getByRole("button", { name: "Show 5 more of 5" }).click();
	await expect(rows).toHaveCount(70);
	await expect(queueOf(page).getByRole("button", { name: /more/ })).toHaveCount(0);
	const [download] = await Promise.all([
		page.waitForEvent("download"),
		queueOf(page).getByRole("button", { name: "Queue of The cluster as CSV" }).click(),
	]);
	expect(download.suggestedFilename()).toBe(`spillway-queue-${SITE}.csv`);
	const lines = readFileSync(await download.path(), "utf8")
		.trim()
		.split("\r\n");
	expect(lines).toHaveLength(71);
	expect(lines[3]).toContain("theirs-2");
	await expectPanelAccessible(page, queueOf(page), ["light", "dark"]);
	await page.setViewportSize({ width: 390, height: 844 });
	await expect(rows.nth(2)).toContainText("theirs-2");
	await expectNoSidewaysScroll(page);
	await expectPanelAccessible(page, queueOf(page));
});

test("nodes are listed by name, those that are down first, with the cluster's own words", async ({ page }) => {
	const node = (n: number): ClusterNode => ({
		...{ name: `gpu${String(n).padStart(2, "0")}`, poolId: "gpu-h100x8", gpus: 8, gpusUsed: n % 8, state: "ready", reason: null },
		...(n === 7 && { state: "down", reason: "IDLE+INVAL: gres/gpu count reported lower than configured (4 < 8)" }),
		...(n === 3 && { state: "closed", reason: "MIXED+DRAIN: fan of GPU 5" }),
	});
	await asInstallation(({ db }) =>
		writeNodes(db, { siteId: SITE, nodes: Array.from({ length: 45 }, (_, n) => node(n + 1)) }, newNodeMemory()),
	);
	await open(page, "/sites", "Capacity");
	const panel = nodesOf(page);
	await expect(panel).toContainText("43 ready, 1 cordoned, 1 down");
	const rows = panel.locator("tbody tr");
	await expect(rows).toHaveCount(20);
	await expect(rows.nth(0)).toContainText(/gpu07.*down.*7 of 8.*INVAL: gres\/gpu count reported lower than configured \(4 < 8\)/);
	await expect(rows.nth(1)).toContainText(/gpu03.*closed.*MIXED\+DRAIN: fan of GPU 5/);
	await expect(rows.nth(2)).toContainText(/gpu01.*ready.*1 of 8/);
	await panel.getByRole("button", { name: "Show 20 more of 25" }).press("Enter");
	await expect(rows).toHaveCount(40);
	await panel.getByRole("button", { name: "Show 5 more of 5" }).click();
	await expect(rows).toHaveCount(45);
	await expectPanelAccessible(page, nodesOf(page), ["light", "dark"]);
});

test("a queue that cannot be read says so in its place, the rest of the page stands, and it is read again on request", async ({ page }) => {
	const log = path.join(HOME, "log/web.log");
	const before = readFileSync(log, "utf8").length;
	const mine = and(eq(foreignJob.siteId, SITE), eq(foreignJob.id, "4002"));
	// An invalid time: the read fails on the server, both for the page and for the browser.
	await asInstallation(({ db }) =>
		db
			.update(foreignJob)
			.set({ facts: { ...theirJob(2), submittedAtMs: 9e15 } })
			.where(mine),
	);
	await open(page, "/sites", "Capacity");
	const alert = page.getByRole("main").getByRole("alert");
	await expect(alert).toContainText("Could not load queue of The cluster");
	await expect(alert).toContainText(/Request\s*[0-9a-f]{8}/);
	await expect(nodesOf(page).locator("tbody tr")).toHaveCount(20);
	await expectPanelAccessible(page, alert);
	await asInstallation(({ db }) =>
		db
			.update(foreignJob)
			.set({ facts: theirJob(2) })
			.where(mine),
	);
	await alert.getByRole("button", { name: "Try again" }).click();
	await expect(queueOf(page).locator("tbody tr")).toHaveCount(15);
	// What the server could not prefetch is left to the browser.
	expect(readFileSync(log, "utf8").slice(before)).not.toContain("Failed to parse URL");
});
