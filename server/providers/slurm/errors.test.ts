import { expect, it } from "vitest";
import { answerError, noAnswer, refusalsSchema } from "./errors.ts";

const errorOf = (status: number, errors: unknown[], body = "") =>
	answerError("submission", status, refusalsSchema.parse({ errors }).errors, body);

// With the messages of Slurm 22.05.8.
it.each([
	["no token", 401, [], "unauthorized"],
	[
		"an unknown key",
		400,
		[
			{ description: 'Unknown key "bogus"', source: "hsearch_r" },
			{ error_code: 9001, error: "Failure during parsing" },
		],
		"invalid_request",
	],
	["an unknown partition", 500, [{ error_code: 2000, error: "Invalid partition name specified" }], "invalid_request"],
	["more GPUs than a node has", 500, [{ error_code: 2014, error: "Requested node configuration is not available" }], "invalid_request"],
	["an account limit", 500, [{ error_code: 2050, error: "Job violates accounting/QOS policy" }], "quota_exceeded"],
	["an unavailable controller", 500, [{ error_code: 1800, error: "Unable to contact slurm controller (connect failure)" }], "transient"],
	["an unavailable controller, or a rejected token", 500, [{ error: "Unspecified error", errno: -1 }], "transient"],
	["an unknown job", 500, [{ description: "Unable to find JobId=9", error_number: 2017, error: "Invalid job id specified" }], "not_found"],
	["a job that is starting", 500, [{ error_number: 2020, error: "Job cannot be altered now, try again later" }], "transient"],
	["a gateway error", 502, [], "transient"],
	["a token that 24.11 or 26.05 rejects", 511, [], "unauthorized"],
] as const)("maps %s (%i)", (_what, status, errors, kind) => {
	expect(errorOf(status, [...errors])).toMatchObject({ name: "DriverError", kind });
});

it("keeps Slurm's message, and explains its error without one", () => {
	expect(errorOf(400, [{ description: 'Unknown key "bogus"' }, { error_code: 9001, error: "Failure during parsing" }]).message).toBe(
		'Slurm: submission: Unknown key "bogus"; Failure during parsing',
	);
	expect(errorOf(500, [{ error: "Unspecified error", errno: -1 }]).message).toMatch(/slurmctld does not answer, or the token has expired/);
	expect(errorOf(511, [], '{ "errors": [] }').message).toBe("Slurm: submission: HTTP 511 (the token has expired)");
	expect(errorOf(401, [], "Authentication failure").message).toBe("Slurm: submission: Authentication failure");
});

it("reports an unknown outcome if there was no response", () => {
	const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:6820"), { code: "ECONNREFUSED" });
	const error = noAnswer("nodes", "http://127.0.0.1:6820", new TypeError("fetch failed", { cause }));
	expect(error).toMatchObject({ kind: "transient", providerCode: "ECONNREFUSED" });
	expect(error.message).toBe("Slurm: nodes: slurmrestd at http://127.0.0.1:6820 does not answer: connect ECONNREFUSED 127.0.0.1:6820");
});
