import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { BrandMark } from "#components/shell/brand.tsx";
import { ownPath } from "#components/sign-in/own-path.ts";
import { SignInForm } from "#components/sign-in/sign-in-form.tsx";
import { Button } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { sessionActor } from "#server/auth/session.ts";
import { needsAdministrator } from "#server/auth/set-up.ts";
import { signInOptions } from "#server/auth/sign-in-options.ts";
import { signInWithPassword, signInWithSso } from "./actions.ts";

export const metadata: Metadata = { title: "Sign in" };
export const dynamic = "force-dynamic";

type Query = Promise<Record<string, string | string[] | undefined>>;

/** Sentences for `?code=` of a rejected sign-in (SIGN_IN_REFUSALS), and for next-auth's own `?error=`. */
const ERRORS: Record<string, string> = {
	no_group: "None of your groups has access to Spillway.",
	no_email: "Your identity provider sent no email address. Spillway needs one.",
	email_unverified: "Your identity provider has not verified your email address. Verify it and sign in again.",
	needs_approval: "An account with your address exists. An administrator must approve this sign-in before you can use it.",
	not_a_person: "Your address belongs to an account that cannot use single sign-on.",
	disabled: "Your account is disabled.",
	no_identity: "Your identity provider sent an unusable answer (no issuer or subject).",
	too_many_attempts: "Too many attempts. Wait 15 minutes and try again.",
	AccessDenied: "Your identity provider did not grant access.",
	Configuration: "Single sign-on failed. The web server's log shows the cause.",
};

function errorText(query: Awaited<Query>, contact: string): string | null {
	const { error, code } = query;
	if (typeof error !== "string") return null;
	const text = (typeof code === "string" && Object.hasOwn(ERRORS, code) && ERRORS[code]) || (Object.hasOwn(ERRORS, error) && ERRORS[error]);
	if (!text) return "Sign-in failed. Try again.";
	return code === "too_many_attempts" ? text : `${text} For access, ask ${contact}.`;
}

export default async function SignInPage({ searchParams }: { searchParams: Query }) {
	const query = await searchParams;
	const callbackUrl = ownPath(query["callbackUrl"]);
	if (await sessionActor()) redirect(callbackUrl);
	const { demoAccounts, password, sso, contact } = await signInOptions();
	const isEmpty = await needsAdministrator();
	// With single sign-on, the first person of the administrators' group becomes the administrator.
	if (!sso && isEmpty) redirect("/setup");
	const error = errorText(query, contact);
	return (
		<main className="grid min-h-dvh place-items-center px-4 py-10">
			<div className="w-full max-w-92">
				<div className="mb-6 flex items-center gap-2.5">
					<BrandMark className="size-7" />
					<span className="text-xl font-bold tracking-tight">Spillway</span>
				</div>
				<div className="grid gap-4 rounded-xl border bg-panel p-5">
					<h1 className="text-md font-semibold">Sign in</h1>
					{error && (
						<p role="alert" className="flex gap-2 rounded-md bg-risk-soft px-3 py-2 text-risk-ink">
							<Icon name="alert" className="mt-0.5 size-3.5" />
							{error}
						</p>
					)}
					{sso && (
						<form action={signInWithSso}>
							<input type="hidden" name="callbackUrl" value={callbackUrl} />
							<Button type="submit" variant={password ? "default" : "primary"} className="h-9 w-full">
								Continue with single sign-on
							</Button>
						</form>
					)}
					{password && <SignInForm demoAccounts={demoAccounts ?? []} callbackUrl={callbackUrl} action={signInWithPassword} />}
					{!sso && !password && (
						<p className="text-ink-2">
							No sign-in method is configured. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET for the web server and restart it.
						</p>
					)}
					{isEmpty && (
						<p className="text-xs text-pretty text-ink-3">
							No administrator can sign in yet. Use the identity provider's administrator group, or{" "}
							<Link href="/setup" className="underline underline-offset-3">
								the set-up code
							</Link>
							.
						</p>
					)}
				</div>
			</div>
		</main>
	);
}
