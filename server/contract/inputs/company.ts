import { z } from "zod";
import { COMPANY_LIMITS } from "#server/domain/company-schema.ts";

const SECRET_MAX = 64 * 1024;

export const planCompanyInput = z.strictObject({
	/** The company file, YAML or JSON. */
	text: z.string().max(COMPANY_LIMITS.documentBytes * 2),
	/** Values of the file's secret references, by reference. */
	secrets: z.record(z.string().max(600), z.string().max(SECRET_MAX)).default({}),
	/** Removes everything that the file's sections do not list. */
	prune: z.boolean().default(false),
});

/** `hash`: of the difference shown. */
export const applyCompanyInput = planCompanyInput.extend({ hash: z.string().length(64) });
