"use server";
import { AuthError, CredentialsSignin } from "next-auth";
import { z } from "zod";
import { ownPath } from "#components/sign-in/own-path.ts";
import type { SignInResult } from "#components/sign-in/sign-in-form.tsx";
import { underBase } from "#components/ui/under-base.ts";
import { signIn } from "#server/auth/next-auth.ts";

const fields = z.object({
	email: z.string().trim().min(1).max(256),
	password: z.string().min(1).max(256),
	callbackUrl: z.string().max(2_048),
});

/** Signs in with a password, for demo accounts and the first administrator. Redirects on success. */
export async function signInWithPassword(_before: SignInResult, form: FormData): Promise<SignInResult> {
	const given = fields.safeParse(Object.fromEntries(form));
	const email = String(form.get("email") ?? "").slice(0, 256);
	if (!given.success) return { email, error: "Enter your email address and password." };
	try {
		await signIn("credentials", { ...given.data, redirectTo: underBase(ownPath(given.data.callbackUrl)) });
	} catch (error) {
		if (error instanceof AuthError) {
			const limited = error instanceof CredentialsSignin && error.code === "too_many_attempts";
			return { email, error: limited ? "Too many attempts. Wait 15 minutes and try again." : "Incorrect email or password." };
		}
		// Next implements the redirect as an exception.
		throw error;
	}
	return { email, error: null };
}

export async function signInWithSso(form: FormData): Promise<void> {
	await signIn("oidc", { redirectTo: underBase(ownPath(String(form.get("callbackUrl") ?? ""))) });
}
