import { redirect } from "next/navigation";

/** Settings open on Sites. */
export default function SettingsPage() {
	redirect("/settings/sites");
}
