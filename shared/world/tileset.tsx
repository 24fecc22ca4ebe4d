<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" tiledversion="1.10.2" name="tileset" tilewidth="16" tileheight="16" tilecount="1216" columns="16">
 <image source="../../web-client/assets/tileset.png" width="256" height="1216"/>
 <tile id="34">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="34" duration="260"/>
   <frame tileid="35" duration="260"/>
   <frame tileid="36" duration="260"/>
   <frame tileid="37" duration="260"/>
  </animation>
 </tile>
 <tile id="35">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="36">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="37">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="38">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="38" duration="260"/>
   <frame tileid="39" duration="260"/>
   <frame tileid="40" duration="260"/>
   <frame tileid="41" duration="260"/>
  </animation>
 </tile>
 <tile id="39">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="40">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="41">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="42">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="42" duration="260"/>
   <frame tileid="43" duration="260"/>
   <frame tileid="44" duration="260"/>
   <frame tileid="45" duration="260"/>
  </animation>
 </tile>
 <tile id="43">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="44">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="45">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="46">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="46" duration="260"/>
   <frame tileid="47" duration="260"/>
   <frame tileid="48" duration="260"/>
   <frame tileid="49" duration="260"/>
  </animation>
 </tile>
 <tile id="47">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="48">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="49">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="50">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="50" duration="260"/>
   <frame tileid="51" duration="260"/>
   <frame tileid="52" duration="260"/>
   <frame tileid="53" duration="260"/>
  </animation>
 </tile>
 <tile id="51">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="52">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="53">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="54">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="54" duration="260"/>
   <frame tileid="55" duration="260"/>
   <frame tileid="56" duration="260"/>
   <frame tileid="57" duration="260"/>
  </animation>
 </tile>
 <tile id="55">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="56">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="57">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="58">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="58" duration="260"/>
   <frame tileid="59" duration="260"/>
   <frame tileid="60" duration="260"/>
   <frame tileid="61" duration="260"/>
  </animation>
 </tile>
 <tile id="59">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="60">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="61">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="62">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="62" duration="260"/>
   <frame tileid="63" duration="260"/>
   <frame tileid="64" duration="260"/>
   <frame tileid="65" duration="260"/>
  </animation>
 </tile>
 <tile id="63">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="64">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="65">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="118">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="118" duration="260"/>
   <frame tileid="119" duration="260"/>
   <frame tileid="120" duration="260"/>
   <frame tileid="121" duration="260"/>
  </animation>
 </tile>
 <tile id="119">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="120">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="121">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="122">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="122" duration="260"/>
   <frame tileid="123" duration="260"/>
   <frame tileid="124" duration="260"/>
   <frame tileid="125" duration="260"/>
  </animation>
 </tile>
 <tile id="123">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="124">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="125">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="126">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="126" duration="260"/>
   <frame tileid="127" duration="260"/>
   <frame tileid="128" duration="260"/>
   <frame tileid="129" duration="260"/>
  </animation>
 </tile>
 <tile id="127">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="128">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="129">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="130">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="130" duration="260"/>
   <frame tileid="131" duration="260"/>
   <frame tileid="132" duration="260"/>
   <frame tileid="133" duration="260"/>
  </animation>
 </tile>
 <tile id="131">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="132">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="133">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="134">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="134" duration="260"/>
   <frame tileid="135" duration="260"/>
   <frame tileid="136" duration="260"/>
   <frame tileid="137" duration="260"/>
  </animation>
 </tile>
 <tile id="135">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="136">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="137">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="138">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="138" duration="260"/>
   <frame tileid="139" duration="260"/>
   <frame tileid="140" duration="260"/>
   <frame tileid="141" duration="260"/>
  </animation>
 </tile>
 <tile id="139">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="140">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="141">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="142">
  <animation>
   <frame tileid="142" duration="260"/>
   <frame tileid="143" duration="260"/>
   <frame tileid="144" duration="260"/>
   <frame tileid="145" duration="260"/>
  </animation>
 </tile>
 <tile id="146">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="146" duration="260"/>
   <frame tileid="147" duration="260"/>
   <frame tileid="148" duration="260"/>
   <frame tileid="149" duration="260"/>
  </animation>
 </tile>
 <tile id="147">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="148">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="149">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="150">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="150" duration="260"/>
   <frame tileid="151" duration="260"/>
   <frame tileid="152" duration="260"/>
   <frame tileid="153" duration="260"/>
  </animation>
 </tile>
 <tile id="151">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="152">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="153">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="154">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="154" duration="260"/>
   <frame tileid="155" duration="260"/>
   <frame tileid="156" duration="260"/>
   <frame tileid="157" duration="260"/>
  </animation>
 </tile>
 <tile id="155">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="156">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="157">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="158">
  <animation>
   <frame tileid="158" duration="260"/>
   <frame tileid="159" duration="260"/>
   <frame tileid="160" duration="260"/>
   <frame tileid="161" duration="260"/>
  </animation>
 </tile>
 <tile id="162">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="162" duration="260"/>
   <frame tileid="163" duration="260"/>
   <frame tileid="164" duration="260"/>
   <frame tileid="165" duration="260"/>
  </animation>
 </tile>
 <tile id="163">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="164">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="165">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="166">
  <animation>
   <frame tileid="166" duration="260"/>
   <frame tileid="167" duration="260"/>
   <frame tileid="168" duration="260"/>
   <frame tileid="169" duration="260"/>
  </animation>
 </tile>
 <tile id="170">
  <animation>
   <frame tileid="170" duration="260"/>
   <frame tileid="171" duration="260"/>
   <frame tileid="172" duration="260"/>
   <frame tileid="173" duration="260"/>
  </animation>
 </tile>
 <tile id="174">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="174" duration="260"/>
   <frame tileid="175" duration="260"/>
   <frame tileid="176" duration="260"/>
   <frame tileid="177" duration="260"/>
  </animation>
 </tile>
 <tile id="175">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="176">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="177">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="178">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="178" duration="260"/>
   <frame tileid="179" duration="260"/>
   <frame tileid="180" duration="260"/>
   <frame tileid="181" duration="260"/>
  </animation>
 </tile>
 <tile id="179">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="180">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="181">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="182">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="182" duration="260"/>
   <frame tileid="183" duration="260"/>
   <frame tileid="184" duration="260"/>
   <frame tileid="185" duration="260"/>
  </animation>
 </tile>
 <tile id="183">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="184">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="185">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="186">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="186" duration="260"/>
   <frame tileid="187" duration="260"/>
   <frame tileid="188" duration="260"/>
   <frame tileid="189" duration="260"/>
  </animation>
 </tile>
 <tile id="187">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="188">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="189">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="190">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="190" duration="260"/>
   <frame tileid="191" duration="260"/>
   <frame tileid="192" duration="260"/>
   <frame tileid="193" duration="260"/>
  </animation>
 </tile>
 <tile id="191">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="192">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="193">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="194">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="194" duration="260"/>
   <frame tileid="195" duration="260"/>
   <frame tileid="196" duration="260"/>
   <frame tileid="197" duration="260"/>
  </animation>
 </tile>
 <tile id="195">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="196">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="197">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="198">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="198" duration="260"/>
   <frame tileid="199" duration="260"/>
   <frame tileid="200" duration="260"/>
   <frame tileid="201" duration="260"/>
  </animation>
 </tile>
 <tile id="199">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="200">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="201">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="202">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="202" duration="260"/>
   <frame tileid="203" duration="260"/>
   <frame tileid="204" duration="260"/>
   <frame tileid="205" duration="260"/>
  </animation>
 </tile>
 <tile id="203">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="204">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="205">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="206">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="206" duration="260"/>
   <frame tileid="207" duration="260"/>
   <frame tileid="208" duration="260"/>
   <frame tileid="209" duration="260"/>
  </animation>
 </tile>
 <tile id="207">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="208">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="209">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="210">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="210" duration="260"/>
   <frame tileid="211" duration="260"/>
   <frame tileid="212" duration="260"/>
   <frame tileid="213" duration="260"/>
  </animation>
 </tile>
 <tile id="211">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="212">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="213">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="214">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="214" duration="260"/>
   <frame tileid="215" duration="260"/>
   <frame tileid="216" duration="260"/>
   <frame tileid="217" duration="260"/>
  </animation>
 </tile>
 <tile id="215">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="216">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="217">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="218">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="218" duration="260"/>
   <frame tileid="219" duration="260"/>
   <frame tileid="220" duration="260"/>
   <frame tileid="221" duration="260"/>
  </animation>
 </tile>
 <tile id="219">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="220">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="221">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="222">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="222" duration="260"/>
   <frame tileid="223" duration="260"/>
   <frame tileid="224" duration="260"/>
   <frame tileid="225" duration="260"/>
  </animation>
 </tile>
 <tile id="223">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="224">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="225">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="226">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="226" duration="260"/>
   <frame tileid="227" duration="260"/>
   <frame tileid="228" duration="260"/>
   <frame tileid="229" duration="260"/>
  </animation>
 </tile>
 <tile id="227">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="228">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="229">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="300">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="301">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="302">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="303">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="304">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="305">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="306">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="307">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="308">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="309">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="310">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="311">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="312">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="313">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="314">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="315">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="316">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="317">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="318">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="341">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="342">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="343">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="344">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="345">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="350">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="350" duration="220"/>
   <frame tileid="351" duration="220"/>
   <frame tileid="352" duration="220"/>
   <frame tileid="353" duration="220"/>
  </animation>
 </tile>
 <tile id="351">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="352">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="353">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="354">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="354" duration="220"/>
   <frame tileid="355" duration="220"/>
   <frame tileid="356" duration="220"/>
   <frame tileid="357" duration="220"/>
  </animation>
 </tile>
 <tile id="355">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="356">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="357">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="358">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="358" duration="220"/>
   <frame tileid="359" duration="220"/>
   <frame tileid="360" duration="220"/>
   <frame tileid="361" duration="220"/>
  </animation>
 </tile>
 <tile id="359">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="360">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="361">
  <properties>
   <property name="hazard" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="362">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="362" duration="260"/>
   <frame tileid="363" duration="260"/>
   <frame tileid="364" duration="260"/>
   <frame tileid="365" duration="260"/>
  </animation>
 </tile>
 <tile id="363">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="364">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="365">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="366">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="367">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="368">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="368" duration="260"/>
   <frame tileid="369" duration="260"/>
   <frame tileid="370" duration="260"/>
   <frame tileid="371" duration="260"/>
  </animation>
 </tile>
 <tile id="369">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="370">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="371">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="372">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="372" duration="260"/>
   <frame tileid="373" duration="260"/>
   <frame tileid="374" duration="260"/>
   <frame tileid="375" duration="260"/>
  </animation>
 </tile>
 <tile id="373">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="374">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="375">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="376">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="376" duration="260"/>
   <frame tileid="377" duration="260"/>
   <frame tileid="378" duration="260"/>
   <frame tileid="379" duration="260"/>
  </animation>
 </tile>
 <tile id="377">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="378">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="379">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="380">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="381">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="382">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="393">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="449">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="454">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="455">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="465">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="470">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="471">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="476">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="483">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="484">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="491">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="492">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="493">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="494">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="495">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="496">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="499">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="500">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="506">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="507">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="508">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="509">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="510">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="511">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="512">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="513">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="514">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="515">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="517">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="518">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="519">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="520">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="521">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="523">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="524">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="525">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="526">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="527">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="535">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="536">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="537">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="538">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="539">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="540">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="541">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="542">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="543">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="544">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="545">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="546">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="547">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="548">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="549">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="550">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="551">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="552">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="553">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="554">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="555">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="556">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="557">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="558">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="565">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="566">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="567">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="568">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="569">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="570">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="571">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="572">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="573">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="574">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="575">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="576">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="577">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="578">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="579">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="580">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="581">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="582">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="583">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="584">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="585">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="586">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="587">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="588">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="593">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="594">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="595">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="596">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="597">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="598">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="599">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="600">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="601">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="602">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="603">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="604">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="605">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="606">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="607">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="613">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="614">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="615">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="616">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="617">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="618">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="619">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="620">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="621">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="622">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="623">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="624">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="625">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="626">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="627">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="628">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="629">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="630">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="631">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="634">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="635">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="636">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="637">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="638">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="639">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="640">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="641">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="642">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="643">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="644">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="645">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="646">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="647">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="648">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="649">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="654">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="655">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="656">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="657">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="658">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="659">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="660">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="661">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="662">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="663">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="664">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="665">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="666">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="667">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="668">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="669">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="672">
  <animation>
   <frame tileid="672" duration="440"/>
   <frame tileid="673" duration="440"/>
   <frame tileid="674" duration="440"/>
   <frame tileid="675" duration="440"/>
  </animation>
 </tile>
 <tile id="676">
  <animation>
   <frame tileid="676" duration="440"/>
   <frame tileid="677" duration="440"/>
   <frame tileid="678" duration="440"/>
   <frame tileid="679" duration="440"/>
  </animation>
 </tile>
 <tile id="680">
  <animation>
   <frame tileid="680" duration="440"/>
   <frame tileid="681" duration="440"/>
   <frame tileid="682" duration="440"/>
   <frame tileid="683" duration="440"/>
  </animation>
 </tile>
 <tile id="684">
  <animation>
   <frame tileid="684" duration="440"/>
   <frame tileid="685" duration="440"/>
   <frame tileid="686" duration="440"/>
   <frame tileid="687" duration="440"/>
  </animation>
 </tile>
 <tile id="688">
  <animation>
   <frame tileid="688" duration="440"/>
   <frame tileid="689" duration="440"/>
   <frame tileid="690" duration="440"/>
   <frame tileid="691" duration="440"/>
  </animation>
 </tile>
 <tile id="692">
  <animation>
   <frame tileid="692" duration="440"/>
   <frame tileid="693" duration="440"/>
   <frame tileid="694" duration="440"/>
   <frame tileid="695" duration="440"/>
  </animation>
 </tile>
 <tile id="696">
  <animation>
   <frame tileid="696" duration="440"/>
   <frame tileid="697" duration="440"/>
   <frame tileid="698" duration="440"/>
   <frame tileid="699" duration="440"/>
  </animation>
 </tile>
 <tile id="700">
  <animation>
   <frame tileid="700" duration="440"/>
   <frame tileid="701" duration="440"/>
   <frame tileid="702" duration="440"/>
   <frame tileid="703" duration="440"/>
  </animation>
 </tile>
 <tile id="704">
  <animation>
   <frame tileid="704" duration="440"/>
   <frame tileid="705" duration="440"/>
   <frame tileid="706" duration="440"/>
   <frame tileid="707" duration="440"/>
  </animation>
 </tile>
 <tile id="710">
  <animation>
   <frame tileid="710" duration="440"/>
   <frame tileid="711" duration="440"/>
   <frame tileid="712" duration="440"/>
   <frame tileid="713" duration="440"/>
  </animation>
 </tile>
 <tile id="726">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="727">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="728">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="729">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="731">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="732">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="733">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="734">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="802">
  <animation>
   <frame tileid="802" duration="220"/>
   <frame tileid="803" duration="220"/>
   <frame tileid="804" duration="220"/>
   <frame tileid="805" duration="220"/>
  </animation>
 </tile>
 <tile id="806">
  <animation>
   <frame tileid="806" duration="220"/>
   <frame tileid="807" duration="220"/>
   <frame tileid="808" duration="220"/>
   <frame tileid="809" duration="220"/>
  </animation>
 </tile>
 <tile id="810">
  <animation>
   <frame tileid="810" duration="220"/>
   <frame tileid="811" duration="220"/>
   <frame tileid="812" duration="220"/>
   <frame tileid="813" duration="220"/>
  </animation>
 </tile>
 <tile id="814">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="814" duration="220"/>
   <frame tileid="815" duration="220"/>
   <frame tileid="816" duration="220"/>
   <frame tileid="817" duration="220"/>
  </animation>
 </tile>
 <tile id="815">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="816">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="817">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="818">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="818" duration="220"/>
   <frame tileid="819" duration="220"/>
   <frame tileid="820" duration="220"/>
   <frame tileid="821" duration="220"/>
  </animation>
 </tile>
 <tile id="819">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="820">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="821">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="822">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="822" duration="220"/>
   <frame tileid="823" duration="220"/>
   <frame tileid="824" duration="220"/>
   <frame tileid="825" duration="220"/>
  </animation>
 </tile>
 <tile id="823">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="824">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="825">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="826">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="826" duration="220"/>
   <frame tileid="827" duration="220"/>
   <frame tileid="828" duration="220"/>
   <frame tileid="829" duration="220"/>
  </animation>
 </tile>
 <tile id="827">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="828">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="829">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="830">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="830" duration="220"/>
   <frame tileid="831" duration="220"/>
   <frame tileid="832" duration="220"/>
   <frame tileid="833" duration="220"/>
  </animation>
 </tile>
 <tile id="831">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="832">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="833">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="834">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="834" duration="220"/>
   <frame tileid="835" duration="220"/>
   <frame tileid="836" duration="220"/>
   <frame tileid="837" duration="220"/>
  </animation>
 </tile>
 <tile id="835">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="836">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="837">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="842">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="843">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="847">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="848">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="849">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="850">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="851">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="852">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="856">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="857">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="858">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="859">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="859" duration="520"/>
   <frame tileid="860" duration="520"/>
   <frame tileid="861" duration="520"/>
   <frame tileid="862" duration="520"/>
  </animation>
 </tile>
 <tile id="860">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="861">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="862">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="863">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="863" duration="520"/>
   <frame tileid="864" duration="520"/>
   <frame tileid="865" duration="520"/>
   <frame tileid="866" duration="520"/>
  </animation>
 </tile>
 <tile id="864">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="865">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="866">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="867">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="867" duration="520"/>
   <frame tileid="868" duration="520"/>
   <frame tileid="869" duration="520"/>
   <frame tileid="870" duration="520"/>
  </animation>
 </tile>
 <tile id="868">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="869">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="870">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="871">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="871" duration="520"/>
   <frame tileid="872" duration="520"/>
   <frame tileid="873" duration="520"/>
   <frame tileid="874" duration="520"/>
  </animation>
 </tile>
 <tile id="872">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="873">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="874">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="875">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="875" duration="520"/>
   <frame tileid="876" duration="520"/>
   <frame tileid="877" duration="520"/>
   <frame tileid="878" duration="520"/>
  </animation>
 </tile>
 <tile id="876">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="877">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="878">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="879">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="879" duration="520"/>
   <frame tileid="880" duration="520"/>
   <frame tileid="881" duration="520"/>
   <frame tileid="882" duration="520"/>
  </animation>
 </tile>
 <tile id="880">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="881">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="882">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="883">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="883" duration="520"/>
   <frame tileid="884" duration="520"/>
   <frame tileid="885" duration="520"/>
   <frame tileid="886" duration="520"/>
  </animation>
 </tile>
 <tile id="884">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="885">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="886">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="887">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="887" duration="520"/>
   <frame tileid="888" duration="520"/>
   <frame tileid="889" duration="520"/>
   <frame tileid="890" duration="520"/>
  </animation>
 </tile>
 <tile id="888">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="889">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="890">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="891">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="891" duration="520"/>
   <frame tileid="892" duration="520"/>
   <frame tileid="893" duration="520"/>
   <frame tileid="894" duration="520"/>
  </animation>
 </tile>
 <tile id="892">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="893">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="894">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="895">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="895" duration="520"/>
   <frame tileid="896" duration="520"/>
   <frame tileid="897" duration="520"/>
   <frame tileid="898" duration="520"/>
  </animation>
 </tile>
 <tile id="896">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="897">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="898">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="899">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="899" duration="520"/>
   <frame tileid="900" duration="520"/>
   <frame tileid="901" duration="520"/>
   <frame tileid="902" duration="520"/>
  </animation>
 </tile>
 <tile id="900">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="901">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="902">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="903">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="903" duration="520"/>
   <frame tileid="904" duration="520"/>
   <frame tileid="905" duration="520"/>
   <frame tileid="906" duration="520"/>
  </animation>
 </tile>
 <tile id="904">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="905">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="906">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="907">
  <animation>
   <frame tileid="907" duration="520"/>
   <frame tileid="908" duration="520"/>
   <frame tileid="909" duration="520"/>
   <frame tileid="910" duration="520"/>
  </animation>
 </tile>
 <tile id="911">
  <animation>
   <frame tileid="911" duration="520"/>
   <frame tileid="912" duration="520"/>
   <frame tileid="913" duration="520"/>
   <frame tileid="914" duration="520"/>
  </animation>
 </tile>
 <tile id="915">
  <animation>
   <frame tileid="915" duration="520"/>
   <frame tileid="916" duration="520"/>
   <frame tileid="917" duration="520"/>
   <frame tileid="918" duration="520"/>
  </animation>
 </tile>
 <tile id="919">
  <animation>
   <frame tileid="919" duration="520"/>
   <frame tileid="920" duration="520"/>
   <frame tileid="921" duration="520"/>
   <frame tileid="922" duration="520"/>
  </animation>
 </tile>
 <tile id="923">
  <animation>
   <frame tileid="923" duration="520"/>
   <frame tileid="924" duration="520"/>
   <frame tileid="925" duration="520"/>
   <frame tileid="926" duration="520"/>
  </animation>
 </tile>
 <tile id="927">
  <animation>
   <frame tileid="927" duration="520"/>
   <frame tileid="928" duration="520"/>
   <frame tileid="929" duration="520"/>
   <frame tileid="930" duration="520"/>
  </animation>
 </tile>
 <tile id="931">
  <animation>
   <frame tileid="931" duration="520"/>
   <frame tileid="932" duration="520"/>
   <frame tileid="933" duration="520"/>
   <frame tileid="934" duration="520"/>
  </animation>
 </tile>
 <tile id="935">
  <animation>
   <frame tileid="935" duration="520"/>
   <frame tileid="936" duration="520"/>
   <frame tileid="937" duration="520"/>
   <frame tileid="938" duration="520"/>
  </animation>
 </tile>
 <tile id="939">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="939" duration="520"/>
   <frame tileid="940" duration="520"/>
   <frame tileid="941" duration="520"/>
   <frame tileid="942" duration="520"/>
  </animation>
 </tile>
 <tile id="940">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="941">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="942">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="943">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="943" duration="520"/>
   <frame tileid="944" duration="520"/>
   <frame tileid="945" duration="520"/>
   <frame tileid="946" duration="520"/>
  </animation>
 </tile>
 <tile id="944">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="945">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="946">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="947">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="947" duration="520"/>
   <frame tileid="948" duration="520"/>
   <frame tileid="949" duration="520"/>
   <frame tileid="950" duration="520"/>
  </animation>
 </tile>
 <tile id="948">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="949">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="950">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="951">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="951" duration="520"/>
   <frame tileid="952" duration="520"/>
   <frame tileid="953" duration="520"/>
   <frame tileid="954" duration="520"/>
  </animation>
 </tile>
 <tile id="952">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="953">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="954">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="955">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="955" duration="520"/>
   <frame tileid="956" duration="520"/>
   <frame tileid="957" duration="520"/>
   <frame tileid="958" duration="520"/>
  </animation>
 </tile>
 <tile id="956">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="957">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="958">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="959">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="959" duration="520"/>
   <frame tileid="960" duration="520"/>
   <frame tileid="961" duration="520"/>
   <frame tileid="962" duration="520"/>
  </animation>
 </tile>
 <tile id="960">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="961">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="962">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="963">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="963" duration="520"/>
   <frame tileid="964" duration="520"/>
   <frame tileid="965" duration="520"/>
   <frame tileid="966" duration="520"/>
  </animation>
 </tile>
 <tile id="964">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="965">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="966">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="967">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="967" duration="520"/>
   <frame tileid="968" duration="520"/>
   <frame tileid="969" duration="520"/>
   <frame tileid="970" duration="520"/>
  </animation>
 </tile>
 <tile id="968">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="969">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="970">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="971">
  <animation>
   <frame tileid="971" duration="220"/>
   <frame tileid="972" duration="220"/>
   <frame tileid="973" duration="220"/>
   <frame tileid="974" duration="220"/>
  </animation>
 </tile>
 <tile id="975">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="976">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="977">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="978">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="979">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="980">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="981">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="982">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="983">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="984">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="985">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="986">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="989">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="990">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="991">
  <animation>
   <frame tileid="991" duration="440"/>
   <frame tileid="992" duration="440"/>
   <frame tileid="993" duration="440"/>
   <frame tileid="994" duration="440"/>
  </animation>
 </tile>
 <tile id="995">
  <animation>
   <frame tileid="995" duration="440"/>
   <frame tileid="996" duration="440"/>
   <frame tileid="997" duration="440"/>
   <frame tileid="998" duration="440"/>
  </animation>
 </tile>
 <tile id="999">
  <animation>
   <frame tileid="999" duration="440"/>
   <frame tileid="1000" duration="440"/>
   <frame tileid="1001" duration="440"/>
   <frame tileid="1002" duration="440"/>
  </animation>
 </tile>
 <tile id="1003">
  <animation>
   <frame tileid="1003" duration="440"/>
   <frame tileid="1004" duration="440"/>
   <frame tileid="1005" duration="440"/>
   <frame tileid="1006" duration="440"/>
  </animation>
 </tile>
 <tile id="1007">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="1007" duration="440"/>
   <frame tileid="1008" duration="440"/>
   <frame tileid="1009" duration="440"/>
   <frame tileid="1010" duration="440"/>
  </animation>
 </tile>
 <tile id="1008">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1009">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1010">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1011">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="1011" duration="440"/>
   <frame tileid="1012" duration="440"/>
   <frame tileid="1013" duration="440"/>
   <frame tileid="1014" duration="440"/>
  </animation>
 </tile>
 <tile id="1012">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1013">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1014">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1015">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="1015" duration="440"/>
   <frame tileid="1016" duration="440"/>
   <frame tileid="1017" duration="440"/>
   <frame tileid="1018" duration="440"/>
  </animation>
 </tile>
 <tile id="1016">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1017">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1018">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1019">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="1019" duration="440"/>
   <frame tileid="1020" duration="440"/>
   <frame tileid="1021" duration="440"/>
   <frame tileid="1022" duration="440"/>
  </animation>
 </tile>
 <tile id="1020">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1021">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1022">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1023">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
  <animation>
   <frame tileid="1023" duration="880"/>
   <frame tileid="1024" duration="880"/>
   <frame tileid="1025" duration="880"/>
   <frame tileid="1026" duration="880"/>
  </animation>
 </tile>
 <tile id="1024">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1025">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1026">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1027">
  <animation>
   <frame tileid="1027" duration="220"/>
   <frame tileid="1028" duration="220"/>
   <frame tileid="1029" duration="220"/>
   <frame tileid="1030" duration="220"/>
  </animation>
 </tile>
 <tile id="1031">
  <animation>
   <frame tileid="1031" duration="220"/>
   <frame tileid="1032" duration="220"/>
   <frame tileid="1033" duration="220"/>
   <frame tileid="1034" duration="220"/>
  </animation>
 </tile>
 <tile id="1035">
  <animation>
   <frame tileid="1035" duration="220"/>
   <frame tileid="1036" duration="220"/>
   <frame tileid="1037" duration="220"/>
   <frame tileid="1038" duration="220"/>
  </animation>
 </tile>
 <tile id="1039">
  <animation>
   <frame tileid="1039" duration="220"/>
   <frame tileid="1040" duration="220"/>
   <frame tileid="1041" duration="220"/>
   <frame tileid="1042" duration="220"/>
  </animation>
 </tile>
 <tile id="1043">
  <animation>
   <frame tileid="1043" duration="220"/>
   <frame tileid="1044" duration="220"/>
   <frame tileid="1045" duration="220"/>
   <frame tileid="1046" duration="220"/>
  </animation>
 </tile>
 <tile id="1047">
  <animation>
   <frame tileid="1047" duration="220"/>
   <frame tileid="1048" duration="220"/>
   <frame tileid="1049" duration="220"/>
   <frame tileid="1050" duration="220"/>
  </animation>
 </tile>
 <tile id="1051">
  <animation>
   <frame tileid="1051" duration="220"/>
   <frame tileid="1052" duration="220"/>
   <frame tileid="1053" duration="220"/>
   <frame tileid="1054" duration="220"/>
  </animation>
 </tile>
 <tile id="1055">
  <animation>
   <frame tileid="1055" duration="220"/>
   <frame tileid="1056" duration="220"/>
   <frame tileid="1057" duration="220"/>
   <frame tileid="1058" duration="220"/>
  </animation>
 </tile>
 <tile id="1059">
  <animation>
   <frame tileid="1059" duration="220"/>
   <frame tileid="1060" duration="220"/>
   <frame tileid="1061" duration="220"/>
   <frame tileid="1062" duration="220"/>
  </animation>
 </tile>
 <tile id="1063">
  <animation>
   <frame tileid="1063" duration="220"/>
   <frame tileid="1064" duration="220"/>
   <frame tileid="1065" duration="220"/>
   <frame tileid="1066" duration="220"/>
  </animation>
 </tile>
 <tile id="1067">
  <animation>
   <frame tileid="1067" duration="220"/>
   <frame tileid="1068" duration="220"/>
   <frame tileid="1069" duration="220"/>
   <frame tileid="1070" duration="220"/>
  </animation>
 </tile>
 <tile id="1071">
  <animation>
   <frame tileid="1071" duration="220"/>
   <frame tileid="1072" duration="220"/>
   <frame tileid="1073" duration="220"/>
   <frame tileid="1074" duration="220"/>
  </animation>
 </tile>
 <tile id="1075">
  <animation>
   <frame tileid="1075" duration="220"/>
   <frame tileid="1076" duration="220"/>
   <frame tileid="1077" duration="220"/>
   <frame tileid="1078" duration="220"/>
  </animation>
 </tile>
 <tile id="1079">
  <animation>
   <frame tileid="1079" duration="220"/>
   <frame tileid="1080" duration="220"/>
   <frame tileid="1081" duration="220"/>
   <frame tileid="1082" duration="220"/>
  </animation>
 </tile>
 <tile id="1083">
  <animation>
   <frame tileid="1083" duration="220"/>
   <frame tileid="1084" duration="220"/>
   <frame tileid="1085" duration="220"/>
   <frame tileid="1086" duration="220"/>
  </animation>
 </tile>
 <tile id="1087">
  <animation>
   <frame tileid="1087" duration="220"/>
   <frame tileid="1088" duration="220"/>
   <frame tileid="1089" duration="220"/>
   <frame tileid="1090" duration="220"/>
  </animation>
 </tile>
 <tile id="1091">
  <animation>
   <frame tileid="1091" duration="220"/>
   <frame tileid="1092" duration="220"/>
   <frame tileid="1093" duration="220"/>
   <frame tileid="1094" duration="220"/>
  </animation>
 </tile>
 <tile id="1095">
  <animation>
   <frame tileid="1095" duration="220"/>
   <frame tileid="1096" duration="220"/>
   <frame tileid="1097" duration="220"/>
   <frame tileid="1098" duration="220"/>
  </animation>
 </tile>
 <tile id="1099">
  <animation>
   <frame tileid="1099" duration="220"/>
   <frame tileid="1100" duration="220"/>
   <frame tileid="1101" duration="220"/>
   <frame tileid="1102" duration="220"/>
  </animation>
 </tile>
 <tile id="1103">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1179">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1180">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1181">
  <properties>
   <property name="solid" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="1189">
  <animation>
   <frame tileid="1189" duration="220"/>
   <frame tileid="1190" duration="220"/>
   <frame tileid="1191" duration="220"/>
   <frame tileid="1192" duration="220"/>
  </animation>
 </tile>
</tileset>
