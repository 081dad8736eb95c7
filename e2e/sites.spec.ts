import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, type Page } from "@playwright/test";
import { KubernetesEmulator } from "#server/emulators/kubernetes/emulator.ts";
import { expectAccessible, expectAccessibleInBothThemes } from "./support/look.ts";
import { open, test } from "./support/people.ts";
import { ROOT } from "./support/system.ts";

const SECRET = "a-secret-that-nobody-sees-again";

test.use({ person: "platform" });

test("a cloud account is checked, added, disabled and removed by keyboard", async ({ page }) => {
	await open(page, "/settings", "Sites");
	await page.getByRole("link", { name: "Add site" }).press("Enter");
	await expect(page.getByRole("heading", { level: 1, name: "Add site" })).toBeVisible();
	await expectAccessible(page);
	await page.getByLabel("ID", { exact: true }).fill("aws-second");
	await page.getByLabel("Name", { exact: true }).fill("A second account");
	await page.getByLabel("Regions").fill("us-east-1\nuseast2");
	await page.getByLabel("Machine image").fill("ami-0123456789abcdef0");
	await page.getByLabel("Access key id").fill("AKIAEMULATED");
	await page.getByLabel("Secret access key").fill(SECRET);
	await page.getByRole("button", { name: "Check" }).press("Enter");
	await expect(page.getByText("1: must be a region such as us-east-1")).toBeVisible();
	await page.getByLabel("Regions").fill("us-east-1");
	await page.getByRole("button", { name: "Check" }).press("Enter");
	const steps = page.getByRole("list", { name: "Check steps" });
	await expect(steps).toContainText("Permission to launch passed");
	await expect(page.getByText("All checks passed.")).toBeVisible();
	await expectAccessible(page);
	await page.getByRole("button", { name: "Add site" }).press("Enter");
	const line = page.getByRole("listitem").filter({ hasText: "aws-second, aws" });
	await expect(line).toContainText("Credentials stored, encrypted");
	await expect(line).toContainText("reachable");
	await expectAccessible(page);
	await line.getByRole("link", { name: "Edit A second account" }).press("Enter");
	await expect(page.getByLabel("Regions")).toHaveValue("us-east-1");
	expect(await page.content()).not.toContain(SECRET);
	await page.getByRole("button", { name: "Check" }).press("Enter");
	await expect(page.getByText("All checks passed.")).toBeVisible();
	await open(page, "/settings/sites", "Sites");
	await line.getByRole("button", { name: "Remove A second account" }).press("Enter");
	await page.getByRole("dialog").getByRole("button", { name: "Remove" }).press("Enter");
	await expect(page.getByText("it is enabled")).toBeVisible();
	await page.keyboard.press("Escape");
	await line.getByRole("button", { name: "Disable A second account" }).press("Enter");
	await page.getByRole("dialog").getByRole("button", { name: "Disable" }).press("Enter");
	await expect(line).toContainText("disabled");
	await line.getByRole("button", { name: "Remove A second account" }).press("Enter");
	await page.getByRole("dialog").getByRole("button", { name: "Remove" }).press("Enter");
	await expect(line).toBeHidden();
});

/** The check step with this title. */
const stepOf = (page: Page, title: string) =>
	page.getByRole("list", { name: "Check steps" }).getByRole("listitem").filter({ hasText: title });

test("the forms of the other site types show the result or the fix of every check step", async ({ page }) => {
	await open(page, "/settings/sites/new", "Add site");
	const choose = async (title: string, boxes: Record<string, string>) => {
		await page.getByLabel("Type").selectOption({ label: title });
		for (const [label, text] of Object.entries(boxes)) await page.getByLabel(label, { exact: true }).fill(text);
	};
	const check = () => page.getByRole("button", { name: "Check" }).click();

	const group = "/subscriptions/00000000-0000-4000-8000-00005b177a71/resourceGroups/spillway";
	await choose("Microsoft Azure", {
		Subscription: "00000000-0000-4000-8000-00005b177a71",
		"Resource group": "spillway",
		Regions: "eastus",
		Subnets: `eastus = ${group}/providers/Microsoft.Network/virtualNetworks/v/subnets/default`,
	});
	await page.getByLabel("Source", { exact: true }).selectOption({ label: "Detect from environment" });
	await check();
	await expect(stepOf(page, "Regions and machines")).toContainText(/eastus: \d+ GPU sizes/);
	await expect(stepOf(page, "Network within a gang")).toContainText("networkSecurityGroups/read");
	await expect(page.getByText("All checks passed.")).toBeVisible();
	await expectAccessibleInBothThemes(page);

	await choose("Google Cloud", {
		Project: "emulated-project",
		Regions: "us-central1",
		"Machine image": "projects/deeplearning-platform-release/global/images/family/common-cu128-ubuntu-2204",
	});
	await page.getByLabel("Source", { exact: true }).selectOption({ label: "Detect from environment" });
	await check();
	await expect(stepOf(page, "Network within a gang")).toContainText(
		"Instances reach each other on all ports: the network default in us-central1.",
	);
	await expect(page.getByText("All checks passed.")).toBeVisible();
	await expectAccessibleInBothThemes(page);

	// Nothing listens on this port.
	await choose("Slurm", {
		"Address of slurmrestd": "http://127.0.0.1:9",
		User: "spillway",
		"Shared folder": "/tmp/spillway-no-such-site",
		Accelerators: "h100 = H100-80GB",
		"Token file (optional)": '{"file": "/tmp/spillway-no-such-site/.token"}',
	});
	await page.getByLabel("Source", { exact: true }).selectOption({ label: "Detect from environment" });
	await check();
	const steps = page.getByRole("list", { name: "Check steps" });
	await expect(steps.getByRole("listitem").first()).toContainText("failed");
	await expect(steps.getByRole("listitem").nth(1)).toContainText("Skipped, because");
	await expectAccessibleInBothThemes(page);

	const rights = ["kubernetes-rbac.yaml", "kubernetes-adoption-rbac.yaml"].map((file) =>
		readFileSync(path.join(ROOT, "docs/providers", file), "utf8"),
	);
	const nodes = ["gpu-1", "gpu-2"].map((name) => ({ name, gpus: 4, labels: { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" } }));
	const cluster = new KubernetesEmulator({ minor: 34, nodes, namespace: "spillway", roles: rights.join("---\n") });
	await cluster.start();
	const tokenFile = test.info().outputPath("token");
	writeFileSync(tokenFile, "spillway\n");
	try {
		await choose("Kubernetes", {
			Access: JSON.stringify({ server: cluster.url, tokenFile }),
			Namespace: "spillway",
			"Accelerators (optional)": "NVIDIA-H100-80GB-HBM3 = H100-80GB",
			"Namespaces to adopt from (optional)": "research",
		});
		await check();
		await expect(stepOf(page, "GPUs")).toContainText("2 × 4 H100-80GB");
		await expect(stepOf(page, "Other users' jobs")).toContainText("this server suspends Jobs");
		await expect(page.getByText("All checks passed.")).toBeVisible();
		await page.getByLabel("Namespaces to adopt from (optional)", { exact: true }).fill("elsewhere");
		await check();
		await expect(stepOf(page, "Other users' jobs")).toContainText("kubernetes-adoption-rbac.yaml");
		await expectAccessibleInBothThemes(page);
	} finally {
		await cluster.stop();
	}
});

test.describe("others", () => {
	test.use({ person: "finance" });
	test("finance cannot manage sites", async ({ page }) => {
		await open(page, "/settings/sites", "Sites");
		await expect(page.getByText("Your role (finance) does not allow site:manage.")).toBeVisible();
	});
});
