"use client";
import { useActionState, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { LABELS, type Role } from "#server/domain/vocabulary.ts";

export type SignInResult = { email: string; error: string | null };

type SignInFormProps = {
	demoAccounts: readonly { email: string; name: string; role: Role }[];
	callbackUrl: string;
	action: (before: SignInResult, form: FormData) => Promise<SignInResult>;
};

const WHAT: Record<Role, string> = {
	platform: "full access",
	data_scientist: "submits jobs for two teams",
	finance: "sees all costs",
};

/** Email and password form. A demo account button fills in its address. */
export function SignInForm({ demoAccounts, callbackUrl, action }: SignInFormProps) {
	const [result, submit, pending] = useActionState(action, { email: "", error: null });
	const email = useRef<HTMLInputElement>(null);
	const password = useRef<HTMLInputElement>(null);
	const fill = (address: string) => {
		if (email.current) email.current.value = address;
		password.current?.focus();
	};
	return (
		<form action={submit} className="grid gap-4">
			{demoAccounts.length > 0 && (
				<fieldset className="grid gap-1.5">
					<legend className="mb-1.5 font-medium text-ink-2">Demo accounts</legend>
					{demoAccounts.map((account) => (
						<button
							key={account.email}
							type="button"
							onClick={() => fill(account.email)}
							className="grid grid-cols-[1fr_auto] items-baseline gap-x-3 rounded-lg border bg-panel px-3 py-2 text-left hover:bg-sunken"
						>
							<span className="font-strong">{LABELS[account.role]}</span>
							<span className="text-right text-xs text-ink-3">{WHAT[account.role]}</span>
							<span className="col-span-full font-mono text-xs text-ink-3">{account.email}</span>
						</button>
					))}
				</fieldset>
			)}
			<Field label="Email address" htmlFor="email">
				<Input
					ref={email}
					id="email"
					name="email"
					type="email"
					autoComplete="username"
					required
					defaultValue={result.email}
					aria-invalid={result.error ? true : undefined}
				/>
			</Field>
			<Field
				label="Password"
				htmlFor="password"
				error={result.error}
				hint={demoAccounts.length > 0 && "npm start prints the demo password in its terminal."}
			>
				<Input
					ref={password}
					id="password"
					name="password"
					type="password"
					autoComplete="current-password"
					required
					aria-describedby="password-note"
					aria-invalid={result.error ? true : undefined}
				/>
			</Field>
			<input type="hidden" name="callbackUrl" value={callbackUrl} />
			<Button type="submit" variant="primary" className="h-9" busy={pending}>
				Sign in
			</Button>
		</form>
	);
}
