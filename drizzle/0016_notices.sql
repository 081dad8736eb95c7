-- expands: earlier programs run on this schema
CREATE TABLE "notice" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"about" text NOT NULL,
	"event" text NOT NULL,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"link" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"delivery_id" text
);
--> statement-breakpoint
ALTER TABLE "delivery" ALTER COLUMN "channel_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "notify_events" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "digest_minutes" integer DEFAULT 5 NOT NULL;--> statement-breakpoint
ALTER TABLE "channel" ADD COLUMN "pipeline" text;--> statement-breakpoint
ALTER TABLE "delivery" ADD COLUMN "account_id" text;--> statement-breakpoint
ALTER TABLE "notice" ADD CONSTRAINT "notice_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice" ADD CONSTRAINT "notice_delivery_id_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."delivery"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notice_once" ON "notice" USING btree ("account_id","about");--> statement-breakpoint
CREATE INDEX "notice_waiting" ON "notice" USING btree ("account_id","created_at") WHERE "notice"."delivery_id" is null;--> statement-breakpoint
CREATE INDEX "notice_created" ON "notice" USING btree ("created_at");--> statement-breakpoint
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "delivery_account" ON "delivery" USING btree ("account_id","created_at" DESC NULLS FIRST) WHERE "delivery"."account_id" is not null;--> statement-breakpoint
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_one_receiver" CHECK (("delivery"."channel_id" is null) <> ("delivery"."account_id" is null));