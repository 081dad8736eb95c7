import { expect, type Page } from "@playwright/test";
import { expectLayoutAtEachWidth } from "./support/layout.ts";
import { expectWhole, expectWholeInEachLook, LOOKS } from "./support/look.ts";
import { open, test } from "./support/people.ts";
import { aJob, isOver, jobWhen, makeQuiet, rest } from "./support/rest.ts";
import { focusFirstRow } from "./support/rows.ts";

interface Screen {
	path: () => string;
	title: string | RegExp;
	/** Waits until the data of the screen is shown. */
	ready: (page: Page) => Promise<void>;
}

let jobId = "";
const SCREENS: Record<string, Screen> = {
	"/": { path: () => "/", title: "Overview", ready: (page) => expect(page.getByText("Recent activity").first()).toBeVisible() },
	"/jobs": { path: () => "/jobs?view=all", title: "Jobs", ready: (page) => expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible() },
	"/jobs/[id]": {
		path: () => `/jobs/${jobId}`,
		title: /language-id/,
		ready: (page) => expect(page.getByRole("heading", { name: "Timeline" })).toBeVisible(),
	},
	"/jobs/[id]/logs": {
		path: () => `/jobs/${jobId}/logs`,
		title: /language-id/,
		ready: (page) => expect(page.getByRole("log")).toContainText("step"),
	},
	"/jobs/[id]/decision": {
		path: () => `/jobs/${jobId}/decision`,
		title: /language-id/,
		ready: (page) => expect(page.getByRole("table", { name: "Candidates" })).toBeVisible(),
	},
	"/jobs/[id]/cost": {
		path: () => `/jobs/${jobId}/cost`,
		title: /language-id/,
		ready: (page) => expect(page.getByRole("table", { name: "Receipt" })).toBeVisible(),
	},
	"/jobs/[id]/metrics": {
		path: () => `/jobs/${jobId}/metrics`,
		title: /language-id/,
		ready: (page) => expect(page.getByRole("heading", { name: "GPU use" })).toBeVisible(),
	},
	"/jobs/[id]/files": {
		path: () => `/jobs/${jobId}/files`,
		title: /language-id/,
		ready: (page) => expect(page.getByRole("heading", { name: "Job file" })).toBeVisible(),
	},
	"/jobs/new": {
		path: () => "/jobs/new",
		title: "New job",
		ready: (page) => expect(page.getByRole("textbox", { name: "Name" })).toBeVisible(),
	},
	"/spend": {
		path: () => "/spend",
		title: "Spend",
		ready: (page) => expect(page.getByRole("table", { name: /Breakdown/ })).toBeVisible(),
	},
	"/budgets": {
		path: () => "/budgets",
		title: "Budgets",
		ready: (page) => expect(page.getByRole("table", { name: "Budgets" })).toBeVisible(),
	},
	"/statements": {
		path: () => "/statements",
		title: "Statements",
		ready: (page) => expect(page.getByRole("table", { name: "Statements by month" })).toBeVisible(),
	},
	"/statements/[month]": {
		path: () => `/statements/${new Date().toISOString().slice(0, 7)}`,
		title: /20\d\d/,
		ready: (page) => expect(page.getByRole("article", { name: /^Statement of compute cost/ })).toBeVisible(),
	},
	"/plan": {
		path: () => "/plan",
		title: "Plan",
		ready: (page) => expect(page.getByRole("button", { name: "New study" })).toBeVisible(),
	},
	"/performance": {
		path: () => "/performance",
		title: "Performance",
		ready: (page) => expect(page.getByRole("table", { name: "Breakdown" })).toBeVisible(),
	},
	"/pipelines": {
		path: () => "/pipelines",
		title: "Pipelines",
		ready: (page) => expect(page.getByText("No pipelines yet").or(page.getByRole("table", { name: "Pipelines" }))).toBeVisible(),
	},
	"/triggers": { path: () => "/triggers", title: "Triggers", ready: (page) => expect(page.getByText("No triggers yet")).toBeVisible() },
	"/carbon": {
		path: () => "/carbon",
		title: "Carbon",
		ready: (page) => expect(page.getByRole("table", { name: /Breakdown/ })).toBeVisible(),
	},
	"/settings/notifications": {
		path: () => "/settings/notifications",
		title: "Notifications",
		ready: (page) => expect(page.getByRole("checkbox", { name: /^Failed/ })).toBeVisible(),
	},
	"/settings/data": {
		path: () => "/settings/data",
		title: "Data",
		ready: (page) => expect(page.getByRole("table", { name: "Link speeds" })).toBeVisible(),
	},
	"/sites": { path: () => "/sites", title: "Capacity", ready: (page) => expect(page.getByText("AWS, emulated").first()).toBeVisible() },
	"/policies": { path: () => "/policies", title: /Polic/, ready: (page) => expect(page.getByText("burst-on-wait").first()).toBeVisible() },
};

/** Prefers a job with several attempts, which exists if the main job test ran before. */
test.beforeAll(async () => {
	await makeQuiet();
	const trained = await rest.jobs("q=language-id&state=succeeded&limit=50");
	const [best] = trained.toSorted((a, b) => b.attempts - a.attempts);
	jobId = best?.id ?? (await rest.submit(aJob({ name: "language-id", command: ["echo", "done at step 0"] })));
	await jobWhen(jobId, "has ended", isOver);
});

test.describe("each screen renders without errors and is accessible, in both themes, on a phone and on a desktop", () => {
	test.use(LOOKS[0]);
	for (const [name, screen] of Object.entries(SCREENS)) test(name, ({ page }) => expectAllLooks(page, screen));
	test.describe("signed out", () => {
		test.use({ person: null });
		const ready = (page: Page) => expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
		test("/sign-in", ({ page }) => expectAllLooks(page, { path: () => "/sign-in", title: "Sign in", ready }));
	});
});

async function expectAllLooks(page: Page, screen: Screen): Promise<void> {
	const complaints = listen(page);
	await open(page, screen.path(), screen.title);
	await expectWholeInEachLook(page, () => screen.ready(page));
	await expectLayoutAtEachWidth(page);
	expect(complaints).toEqual([]);
}

for (const person of ["scientist", "finance"] as const) {
	test.describe(person, () => {
		test.use({ person, viewport: { width: 1440, height: 900 } });
		test("/ shows the role's own work and is accessible", async ({ page }) => {
			const complaints = listen(page);
			await open(page, "/", "Overview");
			await expect(page.getByRole("heading", { name: person === "finance" ? "To do" : "My jobs" })).toBeVisible();
			await expect(page.getByText("Recent activity").first()).toBeVisible();
			const screens = page.getByRole("navigation", { name: "Screens" }).first();
			await expect(screens.getByRole("link", { name: "Audit" })).toHaveCount(person === "finance" ? 1 : 0);
			await expectWhole(page, "light");
			expect(complaints).toEqual([]);
		});
	});
}

test("selected jobs with their actions are accessible", async ({ page }) => {
	await open(page, "/jobs?view=all&state=cancelled,failed", "Jobs");
	await focusFirstRow(page);
	await page.keyboard.press("x");
	await expect(page.getByRole("toolbar").getByRole("button", { name: "Retry 1 job" })).toBeVisible();
	await expectWhole(page, "light");
});

/** Collects console messages, errors and failed responses of a page. */
function listen(page: Page): string[] {
	const complaints: string[] = [];
	page.on("console", (message) => {
		if (message.type() === "error" || message.type() === "warning") complaints.push(`${message.type()}: ${message.text()}`);
	});
	page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
	page.on("response", (response) => {
		if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
	});
	return complaints;
}
