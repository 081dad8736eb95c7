import { z } from "zod";
import { applyCompanyInput, planCompanyInput } from "./inputs/company.ts";
import { operation } from "./operation.ts";

export const companyChangeSchema = z
	.object({
		kind: z.enum([
			"company",
			"team",
			"role",
			"group",
			"person",
			"site",
			"store",
			"data",
			"rate_card",
			"policy",
			"template",
			"trigger",
			"channel",
		]),
		id: z.string().meta({ description: "Name, address or id." }),
		action: z.enum(["create", "update", "remove"]),
		fields: z
			.array(z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
			.meta({ description: "Values as JSON; null: absent. Secrets are shown as changed only." }),
	})
	.meta({ id: "CompanyChange" });

export const company = {
	plan: operation({
		method: "POST",
		path: "/company/plan",
		summary: "Compare a company file with the installation, without changing anything",
		permission: "account:manage",
		input: planCompanyInput,
		text: "text",
		accepts: ["application/yaml"],
		output: z.object({ changes: z.array(companyChangeSchema), skipped: z.array(z.string()), hash: z.string() }),
		example: { text: "apiVersion: spillway/v1\nkind: Company\nspec:\n  teams:\n    - { name: research }\n" },
	}),
	apply: operation({
		method: "POST",
		path: "/company/apply",
		summary: "Apply a company file in one transaction; the hash names the difference that was shown",
		permission: "account:manage",
		input: applyCompanyInput,
		output: z.object({ applied: z.array(companyChangeSchema), skipped: z.array(z.string()) }),
		errors: ["precondition_failed"],
	}),
};
