"use server";
import { headers } from "next/headers";
import { AuthError } from "next-auth";
import type { AdministratorResult } from "#components/setup/administrator-form.tsx";
import { underBase } from "#components/ui/under-base.ts";
import { problemOf } from "#server/api/problem.ts";
import { signIn } from "#server/auth/next-auth.ts";
import { setUpAdministrator } from "#server/auth/set-up.ts";

/** Creates the first administrator and signs in. Redirects to the next step on success. */
export async function createAdministrator(_before: AdministratorResult, form: FormData): Promise<AdministratorResult> {
	const text = (name: string) => String(form.get(name) ?? "").trim();
	const given = { code: text("code"), email: text("email"), name: text("name"), password: String(form.get("password") ?? "") };
	const { password, ...shown } = given;
	if (password !== String(form.get("repeated") ?? ""))
		return { shown, errors: { repeated: "The passwords differ. Enter the same one twice." } };
	try {
		await setUpAdministrator(given, await headers());
	} catch (error) {
		const { detail, fix, fields } = problemOf(error, "none");
		if (fields && fields.length > 0) return { shown, errors: Object.fromEntries(fields.map(({ path, message }) => [path, message])) };
		return { shown, errors: { form: fix ? `${detail} ${fix}` : detail } };
	}
	try {
		await signIn("credentials", { email: given.email, password, redirectTo: underBase("/setup") });
	} catch (error) {
		if (error instanceof AuthError)
			return { shown, errors: { form: "The account exists now, but signing in failed. Open the sign-in page." } };
		// Next implements the redirect as an exception.
		throw error;
	}
	return { shown, errors: {} };
}
