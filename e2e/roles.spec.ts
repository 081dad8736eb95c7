import { expect, type Page } from "@playwright/test";
import { z } from "zod";
import { clearSession, open, PASSWORD, PEOPLE, test } from "./support/people.ts";
import { aJob, rest } from "./support/rest.ts";

const OWN_TEAMS = ["research", "vision"];

test.describe("nobody", () => {
	test.use({ person: null });

	test("a wrong password shows an error, and the address stays", async ({ page }) => {
		await open(page, "/sign-in", "Sign in");
		await signInByForm(page, PEOPLE.finance, "not-the-password");
		await expect(page.getByText("Incorrect email or password.")).toBeVisible();
		await expect(page.getByLabel("Email address")).toHaveValue(PEOPLE.finance);
		await expect(page).toHaveURL(/\/sign-in/);
	});

	test("a screen asked for leads to the sign-in and, after it, to itself", async ({ page }) => {
		await page.goto("/jobs?view=all&team=risk");
		await expect(page).toHaveURL(/\/sign-in\?callbackUrl=/);
		await page.getByRole("button", { name: PEOPLE.platform }).click();
		await expect(page.getByLabel("Email address")).toHaveValue(PEOPLE.platform);
		await page.getByLabel("Password").fill(PASSWORD);
		await page.getByLabel("Password").press("Enter");
		await expect(page.getByRole("heading", { level: 1, name: "Jobs" })).toBeVisible();
		expect(new URL(page.url()).search).toBe("?view=all&team=risk");
	});

	for (const path of ["/", "/jobs/a-job", "/jobs/new", "/sites", "/spend"]) {
		test(`${path} is not rendered for a visitor: no query is refused and put down as an error`, async ({ request }) => {
			const answer = await request.get(path, { maxRedirects: 0 });
			expect(answer.status()).toBe(307);
			expect(await answer.text()).not.toMatch(/E\{\\"digest\\":\\"\d/);
		});
	}

	test("scripts of a page run with its own nonce only", async ({ request }) => {
		const policies = [await request.get("/sign-in"), await request.get("/sign-in")].map(
			(page) => page.headers()["content-security-policy"],
		);
		const scripts = policies.map((policy) => policy?.split("; ").find((part) => part.startsWith("script-src ")) ?? "");
		for (const part of scripts) expect(part).toMatch(/^script-src 'self' 'nonce-[\w+/]{22}==' 'strict-dynamic'$/);
		expect(scripts[0]).not.toBe(scripts[1]);
	});

	test("signing out ends the session", async ({ page }) => {
		await open(page, "/sign-in?callbackUrl=/jobs", "Sign in");
		await signInByForm(page, PEOPLE.platform, PASSWORD);
		await expect(page.getByRole("heading", { level: 1, name: "Jobs" })).toBeVisible();
		await page.getByRole("button", { name: "Account: Platform engineer" }).click();
		await page.getByRole("menuitem", { name: "Sign out" }).click();
		clearSession("platform");
		await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
		await page.goto("/jobs");
		await expect(page).toHaveURL(/\/sign-in/);
	});

	test("the API takes no call without a session or a token", async ({ request }) => {
		expect((await request.get("/api/v1/jobs")).status()).toBe(401);
		expect((await request.get("/api/trpc/job.counts")).status()).toBe(401);
	});
});

test.describe("a data scientist", () => {
	test.use({ person: "scientist" });

	test("sees only the jobs of their teams", async ({ page }) => {
		const [foreign] = await rest.jobs("team=risk&limit=1");
		const [own] = await rest.jobs("team=vision&limit=1");
		expect(foreign && own).toBeTruthy();
		await open(page, "/jobs?view=all", "Jobs");
		const rows = page.getByRole("grid", { name: "Jobs" }).getByRole("row");
		await expect.poll(() => rows.count()).toBeGreaterThan(10);
		const teams = await page.getByRole("grid", { name: "Jobs" }).getByRole("gridcell").allTextContents();
		expect(teams.filter((cell) => OWN_TEAMS.includes(cell)).length).toBeGreaterThan(10);
		expect(teams.filter((cell) => ["risk", "genomics", "forecasting"].includes(cell))).toEqual([]);

		await page.goto(`/jobs/${own?.id}`);
		await expect(page.getByRole("heading", { level: 1 })).toContainText(own?.name ?? "");
		await page.goto(`/jobs/${foreign?.id}`);
		await expect(page.getByRole("main")).toContainText(/not found|There is no job/i);
		await expect(page.getByRole("main")).not.toContainText(foreign?.name ?? "");
	});

	test("may not submit for another team", async ({ page }) => {
		const refused = await trpc(page, "job.submit", { document: aJob({ name: "not-mine", team: "risk" }) });
		expect(refused).toMatchObject({ status: 403 });
		expect(refused.text).toContain("research, vision");
	});
});

test.describe("finance", () => {
	test.use({ person: "finance" });

	test("sees every team's jobs and spend, and cannot submit or cancel", async ({ page }) => {
		await open(page, "/spend", "Spend");
		await open(page, "/jobs?view=all&team=risk", "Jobs");
		await expect.poll(() => page.getByRole("grid", { name: "Jobs" }).getByRole("row").count()).toBeGreaterThan(10);
		await expect(page.getByRole("link", { name: "New job" })).toHaveCount(0);
		await expect(page.getByRole("checkbox", { name: "Select all" })).toHaveCount(0);
		await page.goto("/jobs/new");
		await expect(page.getByRole("main")).toContainText("Access denied");

		expect(await trpc(page, "job.submit", { document: aJob({ name: "by-finance" }) })).toMatchObject({ status: 403 });
		const [some] = await rest.jobs("limit=1");
		expect(await trpc(page, "job.cancel", { id: some?.id })).toMatchObject({ status: 403 });
	});
});

async function signInByForm(page: Page, email: string, password: string): Promise<void> {
	await page.getByLabel("Email address").fill(email);
	await page.getByLabel("Password").fill(password);
	await page.getByRole("button", { name: "Sign in" }).click();
}

/** A call to the screens' own API with the page's session, which a hidden button could not prevent. */
async function trpc(page: Page, procedure: string, input: unknown): Promise<{ status: number; text: string }> {
	const response = await page.request.post(`/api/trpc/${procedure}`, { data: { json: z.json().parse(input) } });
	return { status: response.status(), text: await response.text() };
}
