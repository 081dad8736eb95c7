import { expect, request } from "@playwright/test";
import { z } from "zod";
import { PASSWORD, PEOPLE, sessionOf, test } from "./support/people.ts";
import { withWebServer } from "./support/second-server.ts";
import { token } from "./support/system.ts";

test.use({ person: null });

test("outside of demo mode the demo's accounts are rejected: by password, by session and by token", async ({ browser }) => {
	const before = await sessionOf("platform");
	await withWebServer({ SPILLWAY_DEMO: "0" }, async (baseURL) => {
		const api = await request.newContext({ baseURL });
		const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await (await api.get("/api/auth/csrf")).json());
		await api.post("/api/auth/callback/credentials", { form: { csrfToken, email: PEOPLE.platform, password: PASSWORD }, maxRedirects: 0 });
		expect((await api.storageState()).cookies.filter(({ name }) => name.includes("session-token"))).toEqual([]);
		const byToken = await api.get("/api/v1/jobs", { headers: { authorization: `Bearer ${token()}` } });
		expect(byToken.status()).toBe(401);
		await api.dispose();

		const context = await browser.newContext({ baseURL, storageState: before });
		const page = await context.newPage();
		await page.goto("/jobs");
		// No administrator can sign in there, so the set-up asks for its code.
		await expect(page.getByRole("heading", { level: 1, name: "Set up Spillway" })).toBeVisible();
		await expect(page.getByLabel("Set-up code")).toBeVisible();
		await expect(page.getByText("Demo accounts")).toHaveCount(0);
		await context.close();
	});
});
