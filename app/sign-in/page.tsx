import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { BrandMark } from "#components/shell/brand.tsx";
import { ownPath } from "#components/sign-in/own-path.ts";
import { SignInForm } from "#components/sign-in/sign-in-form.tsx";
import { Button } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { sessionActor } from "#server/auth/session.ts";
import { signInOptions } from "#server/auth/sign-in-options.ts";
import { signInWithPassword, signInWithSso } from "./actions.ts";

export const metadata: Metadata = { title: "Sign in" };
export const dynamic = "force-dynamic";

type Query = Promise<Record<string, string | string[] | undefined>>;

/** What next-auth puts into `?error=` when the issuer's answer was no. */
const SSO_ERRORS: Record<string, string> = {
	AccessDenied: "The identity provider did not let you in. Ask your administrator for access to Spillway.",
	Configuration: "Single sign-on is not set up correctly. An administrator finds the cause in the log of the web server.",
};

export default async function SignInPage({ searchParams }: { searchParams: Query }) {
	const query = await searchParams;
	const callbackUrl = ownPath(query["callbackUrl"]);
	if (await sessionActor()) redirect(callbackUrl);
	const { demoAccounts, sso } = await signInOptions();
	const error = typeof query["error"] === "string" ? (SSO_ERRORS[query["error"]] ?? "Signing in failed. Try again.") : null;
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
							<Button type="submit" variant={demoAccounts ? "default" : "primary"} className="h-9 w-full">
								Continue with single sign-on
							</Button>
						</form>
					)}
					{demoAccounts && <SignInForm demoAccounts={demoAccounts} callbackUrl={callbackUrl} action={signInWithPassword} />}
					{!sso && !demoAccounts && (
						<p className="text-ink-2">
							No way to sign in is configured yet. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET for the web server and start it
							again.
						</p>
					)}
				</div>
			</div>
		</main>
	);
}
