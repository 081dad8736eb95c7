import { expect, type Page } from "@playwright/test";
import { type SsoSystem, startSsoSystem } from "./support/oidc.ts";
import { PASSWORD, PEOPLE, test } from "./support/people.ts";

test.use({ person: null });

let system: SsoSystem | undefined;
test.beforeAll(async () => {
	system = await startSsoSystem();
});
test.afterAll(async () => {
	await system?.stop();
});

function base(): string {
	if (!system) throw new Error("the second web server did not start");
	return system.baseUrl;
}

/** The whole code flow with PKCE, state and nonce, through the provider's own pages. */
async function signInAt(page: Page, login: string): Promise<void> {
	await page.goto(`${base()}/jobs`);
	await page.getByRole("button", { name: /single sign-on/i }).click();
	await page.locator("input[name=login]").fill(login);
	await page.locator("input[name=password]").fill("any");
	await page.locator("button[type=submit]").click();
	await page.getByRole("button", { name: /continue/i }).click();
}

test("a person from the issuer signs in with the role and teams of their groups", async ({ page }) => {
	await signInAt(page, "ann");
	await expect(page).toHaveURL(`${base()}/jobs`);
	await expect(page.getByText("Platform engineer").first()).toBeVisible();
});

test("without a role's group a person is a data scientist of their teams", async ({ page }) => {
	await signInAt(page, "bob");
	await expect(page).toHaveURL(`${base()}/jobs`);
	await expect(page.getByText("Data scientist").first()).toBeVisible();
});

test("no one takes a demo account over by its address", async ({ page }) => {
	await signInAt(page, "mallory");
	await expect(page).toHaveURL(/error=AccessDenied/);
	await expect(page.getByRole("alert").first()).toContainText("cannot use single sign-on");
});

test("demo accounts are rejected outside demo mode", async ({ page, request }) => {
	await page.goto(`${base()}/sign-in`);
	await expect(page.getByRole("button", { name: /single sign-on/i })).toBeVisible();
	await expect(page.locator("input[type=password]")).toHaveCount(0);
	const { csrfToken } = (await (await request.get(`${base()}/api/auth/csrf`)).json()) as { csrfToken: string };
	await request.post(`${base()}/api/auth/callback/credentials`, {
		form: { csrfToken, email: PEOPLE.platform, password: PASSWORD },
		maxRedirects: 0,
	});
	const { cookies } = await request.storageState();
	expect(cookies.filter(({ name }) => name.includes("session-token"))).toEqual([]);
});
