-- expands: earlier programs run on this schema
CREATE TABLE "custom_role" (
	"name" text PRIMARY KEY NOT NULL,
	"base" "role" NOT NULL,
	"permissions" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "custom_role_base" UNIQUE("name","base")
);
--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "custom_role" text;--> statement-breakpoint
ALTER TABLE "account" ADD CONSTRAINT "account_custom_role" FOREIGN KEY ("custom_role","role") REFERENCES "public"."custom_role"("name","base") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_custom_role_index" ON "account" USING btree ("custom_role");