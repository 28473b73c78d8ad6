"""The tokens that are known by their shape or by their owner's name: one line each.

Columns, two blanks apart: where it may stand (`at` anywhere, `edge` not inside a word, `near` behind its owner's name
and a word such as key or token), name, words that must be in the text, shape, what it is. `<a>` letters and digits,
`<w>` also `_` and `-`, `<up>` capitals and digits, `<hex>`, `<b64>`, `<uuid>`.
"""

TOKENS = r"""
# clouds and hosts
edge  aws-access-key-id  akia asia abia acca  (?:AKIA|ASIA|ABIA|ACCA)<up>{16}\b  AWS access key id
at    aws-bedrock-key  absk bedrock-api-key-  (?:ABSK|bedrock-api-key-)<b64>{60,}  Amazon Bedrock API key
at    google-api-key  aiza  AIza<w>{32,50}  Google API key
at    google-oauth-secret  gocspx-  GOCSPX-<w>{20,50}  Google OAuth client secret
at    google-oauth-token  ya29.  ya29\.[A-Za-z0-9_.-]{20,}  Google OAuth access token
edge  google-refresh-token  1//0  1//0<w>{35,}  Google OAuth refresh token
edge  azure-client-secret  q~  [A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,40}  Azure AD (Entra) client secret
near  azure-devops-token  azure devops ado_ vsts  [a-z2-7]{52}|<a>{84}  Azure DevOps token, after its name
near  azure-api-key  azure cognitive  <hex>{32}  Azure AI service key, after its name
edge  alibaba-key-id  ltai  LTAI<a>{16,24}\b  Alibaba Cloud access key id
edge  tencent-secret-id  akid  AKID<a>{32}\b  Tencent Cloud secret id
at    digitalocean-token  _v1_  do[opr]_v1_<hex>{40,}  DigitalOcean token
near  heroku-key  heroku  <uuid>  Heroku API key, after its name
at    heroku-token  hrku-  HRKU-<w>{30,}  Heroku platform token
near  cloudflare-token  cloudflare cf_ cf- cfapi  <w>{37,45}  Cloudflare API token or key, after its name
edge  cloudflare-origin-key  v1.0-  v1\.0-<hex>{24}-<hex>{100,}  Cloudflare origin CA key
near  fastly-token  fastly  <w>{32}  Fastly API token, after its name
at    netlify-token  nfp_  nfp_<a>{36,}  Netlify token
near  vercel-token  vercel  <a>{24}  Vercel token, after its name
edge  vercel-key  vcp_ vck_ vca_  vc[pka]_<a>{24,}  Vercel token with a prefix
edge  render-key  rnd_  rnd_<a>{28,}  Render API key
edge  fly-token  fm1r_ fm2_ fo1_  (?:fo1_|fm1r_|fm2_)[A-Za-z0-9_+/=-]{40,}  Fly.io token
near  railway-token  railway  <uuid>  Railway token, after its name
edge  tailscale-key  tskey-  tskey-[a-z]+-<w>{20,}  Tailscale key
edge  openshift-token  sha256~  sha256~<w>{43}  OpenShift token
at    google-fcm-key  :apa91b  AAAA<w>{7}:APA91b<w>{100,}  Firebase Cloud Messaging server key
at    amazon-mws-token  amzn.mws.  amzn\.mws\.<uuid>  Amazon MWS token
edge  yandex-key  aqvn y0_ t1.9  AQVN<w>{35,}|y0_<w>{50,}|t1\.9[A-Za-z0-9_.=-]{80,}  Yandex Cloud key or OAuth token
edge  neon-key  napi_  napi_[a-z0-9]{50,}  Neon API key
edge  modal-token  ak- as-  a[ks]-<a>{22}\b  Modal token id or secret
edge  scalingo-token  tk-us-  tk-us-<w>{40,}  Scalingo token
edge  defined-key  dnkey-  dnkey-<w>{20,}  Defined Networking key
# code, packages, pipelines, vaults
at    github-token  ghp_ gho_ ghu_ ghs_ ghr_  gh[pousr]_[A-Za-z0-9_]{30,}  GitHub token of any kind
at    github-fine-grained  github_pat_  github_pat_[A-Za-z0-9_]{30,}  GitHub fine-grained personal access token
at    gitlab-token  glpat- gldt- glrt- glrtr- glptt-  gl(?:pat|dt|rt|rtr|ptt)-[A-Za-z0-9_.-]{20,}  GitLab token
at    gitlab-feed-token  glft- glimt- glagent- glffct-  gl(?:ft|imt|agent|ffct)-[A-Za-z0-9_.-]{20,}  GitLab token
at    gitlab-app-token  gloas- glsoat- glcbt- glwt-  gl(?:oas|soat|cbt|wt)-[A-Za-z0-9_.-]{20,}  GitLab token
at    gitlab-runner-token  gr1348941  GR1348941<w>{20,}  GitLab runner registration token
at    metier-token  metier_  metier_<hex>{12}_<w>{43}  token of a Metier server
at    npm-token  npm_  npm_<a>{30,}  npm access token
at    pypi-token  pypi-  pypi-<w>{50,}  PyPI upload token
at    rubygems-key  rubygems_  rubygems_<hex>{40,}  RubyGems API key
edge  crates-token  cio  cio<a>{32}\b  crates.io token
edge  nuget-key  oy2  oy2[a-z0-9]{43}\b  NuGet API key
at    clojars-token  clojars_  CLOJARS_[a-z0-9]{50,}  Clojars deploy token
at    docker-token  dckr_  dckr_[po]at_<w>{20,}  Docker Hub access token
edge  artifactory-key  akcp cmvmdgtu  (?:AKCp|cmVmdGtu)<a>{40,}  Artifactory API key or reference token
at    circleci-token  ccipat_  CCIPAT_[A-Za-z0-9_]{30,}  CircleCI personal token
at    buildkite-token  bkua_  bkua_[a-z0-9]{40}  Buildkite token
edge  sonar-token  squ_ sqp_ sqa_  sq[upa]_<hex>{40}  SonarQube token
near  snyk-token  snyk  <uuid>  Snyk token, after its name
near  codecov-token  codecov  <uuid>  Codecov token, after its name
edge  sourcegraph-token  sgp_  sgp_[A-Za-z0-9_]{40,}  Sourcegraph or Segment token
at    postman-key  pmak-  PMAK-<hex>{24}-<hex>{34}  Postman API key
edge  octopus-key  api-  API-<up>{26}\b  Octopus Deploy API key
at    prefect-key  pnu_  pnu_<a>{36}  Prefect API key
edge  infracost-key  ico-  ico-<a>{32}  Infracost API key
at    terraform-token  atlasv1  <a>{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}  Terraform Cloud token
edge  pulumi-token  pul-  pul-<hex>{40}  Pulumi access token
at    doppler-token  dp.  dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{35,}  Doppler token
edge  vault-token  hvs. hvb. hvr.  hv[sbr]\.<w>{20,}  HashiCorp Vault token
near  vault-legacy-token  vault  [sbr]\.<a>{24}  HashiCorp Vault token of the old form, after its name
at    onepassword-token  ops_eyj  ops_eyJ[A-Za-z0-9_+/=-]{60,}  1Password service account token
edge  onepassword-secret-key  a3-  A3-<up>{6}-(?:<up>{11}|<up>{6}-<up>{5})-<up>{5}-<up>{5}-<up>{5}  1Password secret key
at    age-key  age-secret-key-  AGE-SECRET-KEY-1<up>{50,}  age secret key
edge  harness-token  pat. sat.  [ps]at\.<a>{22}\.<hex>{24}\.<a>{20}  Harness token
edge  socket-token  sktsec_  sktsec_<w>{40,}  Socket security token
edge  deepsource-token  dsp_  dsp_<a>{40,}  DeepSource token
edge  apify-token  apify_api_  apify_api_<a>{30,}  Apify token
edge  browserbase-key  bb_live_  bb_live_<w>{20,}  Browserbase key
edge  launchdarkly-key  sdk-  sdk-<uuid>  LaunchDarkly SDK key
# model providers
at    anthropic-key  sk-ant-  sk-ant-<w>{20,}  Anthropic key
at    openai-key  sk-  sk-(?:proj|svcacct|admin|None)-<w>{20,}  OpenAI project, service-account or admin key
at    openrouter-key  sk-or-  sk-or-<w>{30,}  OpenRouter key
at    langfuse-key  sk-lf-  sk-lf-<uuid>  Langfuse secret key
edge  sk-key  sk-  sk-<a>{20,}  Key that begins with sk- (OpenAI, DeepSeek, proxies)
edge  huggingface-token  hf_ api_org_  (?:hf_|api_org_)<a>{28,}  Hugging Face token
edge  replicate-token  r8_  r8_<a>{30,}  Replicate token
edge  groq-key  gsk_  gsk_<a>{32,}  Groq key
edge  xai-key  xai-  xai-<w>{40,}  xAI key
edge  perplexity-key  pplx-  pplx-<a>{32,}  Perplexity key
near  cohere-key  cohere co_api  <a>{40}  Cohere key, after its name
near  mistral-key  mistral codestral  <a>{32}  Mistral key, after its name
near  together-key  together  <hex>{64}  Together AI key, after its name
edge  together-token  tgp_v1_  tgp_v1_<w>{30,}  Together AI key with a prefix
edge  fireworks-key  fw_  fw_<a>{20,}  Fireworks AI key
edge  pinecone-key  pcsk_  pcsk_[A-Za-z0-9_]{40,}  Pinecone key
edge  nvidia-key  nvapi-  nvapi-<w>{40,}  NVIDIA API key
edge  cerebras-key  csk-  csk-<a>{30,}  Cerebras key
edge  voyage-key  pa-  pa-<w>{43}\b  Voyage AI key
edge  tavily-key  tvly-  tvly-<w>{20,}  Tavily key
edge  langsmith-key  lsv2_  lsv2_[a-z]{2}_<hex>{32}_<hex>{10}  LangSmith key
edge  elevenlabs-key  sk_  sk_<hex>{48}\b  ElevenLabs key
edge  e2b-key  e2b_  e2b_<hex>{40}  E2B key
edge  firecrawl-key  fc-  fc-<hex>{32}\b  Firecrawl key
near  wandb-key  wandb  <hex>{40}  Weights & Biases key, after its name
edge  openai-session  sess-  sess-<a>{40}\b  OpenAI session key
edge  jina-key  jina_  jina_<w>{50,}  Jina key
edge  mem0-key  m0-  m0-<a>{40}\b  Mem0 key
near  deepgram-key  deepgram  <hex>{40}  Deepgram key, after its name
# messages and mail
at    slack-token  xox  (?:xoxe\.)?xox[a-z]-[A-Za-z0-9-]{10,}  Slack bot, user or refresh token
at    slack-app-token  xapp-  xapp-[A-Za-z0-9-]{20,}  Slack app token
at    slack-webhook  hooks.slack.com  hooks\.slack\.com/[a-z]{6,12}/[A-Za-z0-9+/_-]{20,}  Slack webhook address
at    discord-webhook  /api/webhooks/  discord(?:app)?\.com/api/webhooks/[0-9]{8,}/<w>{40,}  Discord webhook address
at    teams-webhook  webhook.office.com  webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{60,}  Teams webhook address
edge  twilio-key  sk  SK<hex>{32}\b  Twilio API key
near  twilio-auth-token  twilio  <hex>{32}  Twilio auth token, after its name
at    sendgrid-key  sg.  SG\.<w>{16,32}\.<w>{30,64}  SendGrid key
edge  mailgun-key  key-  key-<hex>{32}\b  Mailgun key
near  mailgun-signing-key  mailgun mg_  <hex>{32}-<hex>{8}-<hex>{8}|<hex>{32}  Mailgun key, after its name
edge  mailchimp-key  -us  <hex>{32}-us[0-9]{1,2}\b  Mailchimp key
edge  brevo-key  xkeysib-  xkeysib-<hex>{64}-<a>{16}  Brevo (Sendinblue) key
edge  resend-key  re_  re_<a>{6,12}_<a>{20,}  Resend key
edge  facebook-token  eaa  EAA<a>{80,}  Facebook or Instagram access token
near  twitter-token  twitter  [A-Za-z0-9%_-]{35,120}  Twitter / X token or secret, after its name
at    hubspot-token  pat-  pat-(?:na|eu|ap)[0-9]?-<uuid>  HubSpot private app token
edge  typeform-token  tfp_  tfp_[A-Za-z0-9_.=-]{40,}  Typeform token
edge  contentful-token  cfpat-  CFPAT-<w>{40,}  Contentful token
edge  intercom-token  dg9ro  dG9rO<b64>{40,}  Intercom access token
edge  readme-key  rdme_  rdme_[a-z0-9]{60,}  ReadMe key
# work tools and monitoring
at    linear-key  lin_  lin_(?:api|oauth)_<a>{30,}  Linear key
edge  notion-token  secret_ ntn_  secret_<a>{40,}|ntn_<a>{40,}  Notion integration token
edge  airtable-token  pat  pat<a>{14}\.<hex>{64}  Airtable personal access token
near  airtable-key  airtable  key<a>{14}  Airtable key, after its name
edge  asana-token  0/ 1/ 2/  [0-9]/[0-9]{10,20}(?:/[0-9]{10,20})?:<hex>{32}  Asana personal access token
near  asana-secret  asana  <hex>{32}  Asana secret, after its name
at    atlassian-token  atatt3 atctt3 atstt3  AT[ACS]TT3[A-Za-z0-9_=-]{40,}  Atlassian API token
edge  bitbucket-token  atbb  ATBB<a>{28,}  Bitbucket app password
near  atlassian-legacy-token  atlassian jira confluence  <a>{24}  Atlassian token of the old form, after its name
at    figma-token  figd_ figo_ figu_ figr_  fig[dour]_<w>{30,}  Figma token
at    grafana-token  glsa_  glsa_<a>{32}_[a-fA-F0-9]{8}  Grafana service-account token
at    grafana-cloud-token  glc_  glc_[A-Za-z0-9+/]{32,}={0,2}  Grafana cloud token
near  datadog-key  datadog dd_ dd- ddog  <hex>{40}|<hex>{32}  Datadog API or application key, after its name
at    newrelic-key  nrak- nrii- nriq- nrra- nral  NR(?:AK|II|IQ|RA)-<w>{20,42}|<hex>{36}NRAL  New Relic key
at    sentry-token  sntrys_ sntryu_  sntry[su]_[A-Za-z0-9+/=_-]{40,}  Sentry token
at    dynatrace-token  dt0c01.  dt0c01\.<up>{24}\.<up>{60,}  Dynatrace token
edge  posthog-key  phx_  phx_[A-Za-z0-9_]{40,}  PostHog personal key
near  algolia-key  algolia  <hex>{32}  Algolia key, after its name
near  okta-token  okta  00<w>{40}  Okta token, after its name
edge  dropbox-token  sl.  sl\.<w>{60,}  Dropbox token
edge  trello-token  atta  ATTA<hex>{64}  Trello token
edge  clickup-token  pk_  pk_[0-9]{6,9}_<up>{32}\b  ClickUp token
edge  honeycomb-key  hcaik_ hcxik_ hcbik_ hcxmk_  hc[abx][im]k_<a>{40,}  Honeycomb key
edge  axiom-token  xaat- xapt-  xa[ap]t-<uuid>  Axiom token
edge  frameio-token  fio-u-  fio-u-<w>{60,}  Frame.io token
edge  adobe-secret  p8e-  p8e-<w>{32}  Adobe client secret
edge  adafruit-key  aio_  aio_<a>{28}\b  Adafruit IO key
# payments and shops
at    stripe-key  k_live_ k_test_ k_prod_  [sr]k_(?:live|test|prod)_<a>{10,}  Stripe secret or restricted key
at    stripe-webhook-secret  whsec_  whsec_<b64>{20,}  Stripe webhook secret
at    shopify-token  shpat_ shpca_ shppa_ shpss_  shp(?:at|ca|pa|ss)_[a-zA-Z0-9]{24,}  Shopify token or shared secret
at    square-token  sq0  sq0[a-z]{3}-<w>{22,}  Square token or secret
edge  square-access-token  eaaa  EAAA<w>{56,}  Square access token
at    braintree-token  access_token$  access_token\$[a-z]{7,10}\$[0-9a-z]{16}\$<hex>{32}  Braintree access token
near  paypal-secret  paypal braintree  <w>{60,90}|<hex>{32}  PayPal client secret, after its name
at    plaid-token  access-  access-(?:sandbox|development|production)-<uuid>  Plaid access token
near  plaid-secret  plaid  <hex>{30}  Plaid secret, after its name
at    flutterwave-key  flwseck  FLWSECK(?:_TEST)?-[A-Za-z0-9-]{12,}  Flutterwave secret key
edge  easypost-key  ezak ezt ezp  EZ[AT]K<a>{54}  EasyPost key
at    shippo-token  shippo_  shippo_(?:live|test)_<hex>{40}  Shippo token
at    duffel-token  duffel_  duffel_(?:test|live)_<w>{40,}  Duffel token
# data services
edge  databricks-token  dapi dkea dose  (?:dapi|dkea|dose)<hex>{32}(?:-[0-9])?  Databricks token
near  snowflake-secret  snowflake  [A-Za-z0-9!#$%&*+/=?^_~@.-]{8,}  Snowflake password or token, after its name
at    supabase-token  sbp_ sb_secret_  sbp_<hex>{40}|sb_secret_<w>{20,}  Supabase token or secret key
at    planetscale-token  pscale_  pscale_[a-z]+_[A-Za-z0-9_.=-]{30,}  PlanetScale token or password
near  confluent-secret  confluent  [A-Za-z0-9+/]{64}  Confluent secret, after its name
near  elastic-key  elastic  <w>{40,90}={0,2}  Elastic API key, after its name
edge  mapbox-token  sk.eyj  sk\.eyJ<w>{40,}\.<w>{16,}  Mapbox secret token
"""
