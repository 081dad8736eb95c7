"use client";
import { useActionState } from "react";
import type { FieldErrors } from "#components/page/field-errors.ts";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/input.tsx";

export interface AdministratorResult {
	/** The entered values, except passwords. */
	shown: { code: string; email: string; name: string };
	/** By field; `form` is for problems without a field. */
	errors: FieldErrors;
}

type FormProps = { action: (before: AdministratorResult, form: FormData) => Promise<AdministratorResult> };

/** Creates the first administrator with the set-up code. */
export function AdministratorForm({ action }: FormProps) {
	const [{ shown, errors }, submit, isPending] = useActionState(action, { shown: { code: "", email: "", name: "" }, errors: {} });
	return (
		<form action={submit} className="grid gap-4" noValidate>
			<FormField
				name="code"
				label="Set-up code"
				defaultValue={shown.code}
				error={errors["code"]}
				hint="npm start and the web server's log print it."
				mono
				autoComplete="off"
			/>
			<FormField
				name="email"
				label="Email address"
				type="email"
				defaultValue={shown.email}
				error={errors["email"]}
				autoComplete="username"
			/>
			<FormField name="name" label="Name" defaultValue={shown.name} error={errors["name"]} autoComplete="name" />
			<FormField
				name="password"
				label="Password"
				type="password"
				error={errors["password"]}
				hint="At least 12 characters. Others sign in with single sign-on."
				autoComplete="new-password"
			/>
			<FormField name="repeated" label="Repeat password" type="password" error={errors["repeated"]} autoComplete="new-password" />
			{errors["form"] && (
				<p role="alert" className="text-risk-ink">
					{errors["form"]}
				</p>
			)}
			<Button type="submit" variant="primary" className="h-9" busy={isPending}>
				Create administrator
			</Button>
		</form>
	);
}

type FieldProps = {
	name: string;
	label: string;
	type?: "text" | "email" | "password";
	hint?: string;
	error: string | undefined;
	defaultValue?: string;
	autoComplete: string;
	mono?: boolean;
};

function FormField({ name, label, hint, error, type = "text", ...rest }: FieldProps) {
	return (
		<Field label={label} htmlFor={name} hint={hint} error={error}>
			<Input
				{...rest}
				id={name}
				name={name}
				type={type}
				required
				aria-invalid={error ? true : undefined}
				aria-describedby={error || hint ? `${name}-note` : undefined}
			/>
		</Field>
	);
}
